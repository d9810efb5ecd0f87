import {
  ForgetMemory,
  ListMemories,
  ListPastMemories,
  type MemoryName,
  RestoreMemories,
  ReviseMemory,
} from '#features/documents/use-cases';
import { filterOf, IsFilter } from '#features/search/input';
import {
  IsContainerTag,
  IsDateText,
  IsFlag,
  IsNameList,
  IsPastTime,
  IsText,
  invalid,
  namedTags,
  Required,
  ShownBy,
} from '#platform/input';
import type { Principal } from '#platform/kernel';
import { dateIn } from '../documents/as-of.dto.ts';
import { type Page, PagedBody, pagedOptions, pageFrom } from '../documents/paged-body.dto.ts';
import { MAX_MEMORY, MemoryDetails, sentDetails } from './record-memories.dto.ts';

const MAX_LIMIT = 1100;
const MAX_IDS = 500;

/** A memory, and what to change. It is named by `id`, or by its exact text in `content`. */
@ShownBy({
  'A correction': { containerTag: 'user-mara', content: 'Mara lives in Oslo.', newContent: 'Mara lives in Bergen.' },
})
export class ReviseMemoryBody extends MemoryDetails {
  /** The tag of the memory. May be left out with `id`. */
  @IsContainerTag()
  containerTag?: string;

  /** Of any version of the memory. */
  @IsText({ min: 1, max: 255 })
  id?: string;

  /** Exact present text of the memory. */
  @IsText({ min: 1, max: MAX_MEMORY })
  content?: string;

  /** Text of the new version. */
  @Required()
  @IsText({ min: 1, max: MAX_MEMORY })
  newContent!: string;
}

/** @throws InputError 400 if the memory is not named */
export function reviseMemory(principal: Principal, body: ReviseMemoryBody): ReviseMemory {
  const { containerTag: tag = null } = body;
  if (tag === null && body.id === undefined) throw invalid('containerTag', 'containerTag is required');
  if (body.newContent.trim() === '') throw invalid('newContent', 'newContent must not be blank');
  const change = { text: body.newContent, ...sentDetails(body) };
  return new ReviseMemory(principal, tag, nameIn(body), change);
}

/** The memory to forget, or the passage whose memories to forget. It is named by `id`, or by its exact text in `content`. */
@ShownBy({
  'By its text': { containerTag: 'user-mara', content: 'Mara lives in Bergen.', reason: 'She has moved.' },
})
export class ForgetMemoryBody {
  /** The tag of the memory. */
  @Required()
  @IsContainerTag()
  containerTag!: string;

  /** Of any version of the memory, of a passage, or of a document that has one passage. */
  @IsText({ min: 1, max: 255 })
  id?: string;

  /** Exact present text of the memory or passage, or of a document that has one passage. */
  @IsText({ min: 1, max: MAX_MEMORY })
  content?: string;

  /** Why it is forgotten. */
  @IsText({ max: 1_000 })
  reason?: string;
}

/** @throws InputError 400 if the memory is not named */
export const forgetMemory = (principal: Principal, body: ForgetMemoryBody): ForgetMemory =>
  new ForgetMemory(principal, body.containerTag, nameIn(body), body.reason ?? null);

function nameIn({ id, content }: { readonly id?: string; readonly content?: string }): MemoryName {
  if (id !== undefined) return { id };
  if (content !== undefined) return { text: content };
  throw invalid('id', 'id or content is required');
}

/** Memories to restore. */
@ShownBy({ 'By ids': { containerTag: 'user-mara', ids: ['7Qm0000000000000000000'] } })
export class RestoreMemoriesBody {
  /** The tag of the memories. */
  @Required()
  @IsContainerTag()
  containerTag!: string;

  /** Of any versions. Those that no memory of the tag has are skipped. */
  @Required()
  @IsNameList(MAX_IDS)
  ids!: string[];
}

export const restoreMemories = (principal: Principal, body: RestoreMemoriesBody): RestoreMemories =>
  new RestoreMemories(principal, body.containerTag, body.ids);

/** Which memories to list. */
@ShownBy({ 'Of a tag': { containerTags: ['user-mara'], limit: 20 } })
export class ListMemoriesBody extends PagedBody {
  /** Memories that carry at least one of these. At least one tag is required. */
  override containerTags?: string | string[];

  /** Conditions on the metadata. */
  @IsFilter()
  filters?: unknown;

  /** Memories on a page. A value above 1100 counts as 1100. */
  override limit: number | string = 10;

  /** Forgotten and expired memories too. */
  @IsFlag()
  includeForgotten = false;

  /** A time that is not in the future: the memories as they were then. Default: as they are now. */
  @IsPastTime()
  asOf?: string;

  /** A date: of each memory the version that counts for it, whenever it was recorded. Not together with asOf. */
  @IsDateText()
  validAt?: string;
}

export const pageOfMemories = (body: ListMemoriesBody): Page => pageFrom(body, MAX_LIMIT);

/** @throws InputError 400 without a tag */
export const listMemories = (principal: Principal, body: ListMemoriesBody): ListMemories =>
  new ListMemories(principal, tagsIn(body), listOptions(body));

/** @throws InputError 400 without a tag */
export const listPastMemories = (principal: Principal, body: ListMemoriesBody, asOf: number): ListPastMemories =>
  new ListPastMemories(principal, tagsIn(body), listOptions(body), asOf);

function tagsIn(body: ListMemoriesBody): readonly string[] {
  const tags = namedTags(body.containerTag, body.containerTags);
  if (tags.length === 0) throw invalid('containerTags', 'containerTags must name a tag');
  return tags;
}

const listOptions = (body: ListMemoriesBody) => ({
  ...{ filter: filterOf(body.filters), includeInactive: body.includeForgotten, validAt: dateIn(body) },
  ...pagedOptions(body, MAX_LIMIT),
});
