import { ListDocuments, ListProcessing } from '#documents/use-cases';
import type { Caller } from '#kernel';
import { STAGES, type Stage } from '#views';
import { readableTags } from '../access/tags.ts';
import { Choice, Flag, Ordinal, Text, Texts } from '../validation/fields.ts';
import { FilterField, filterOf, namedTags, Tag, Tags } from '../validation/values.ts';

const MAX_LIMIT = 1100;
/** Far behind the end of any list, and still exact when multiplied by a limit. */
const MAX_PAGE = 1_000_000_000;

const IN_PROCESS: readonly Stage[] = STAGES.filter((stage) => !['queued', 'done', 'failed'].includes(stage));
/** Both vocabularies of the contract's §3.1; no document is ever in `unknown`. */
const STATUSES = [...STAGES, 'processing', 'unknown'];

export class ListDocumentsBody {
  @Tags('Documents that carry at least one of these; none named: all.')
  containerTags?: string | string[];

  @Tag('Joined with containerTags.')
  containerTag?: string;

  @FilterField()
  filters?: unknown;

  @Text('Exact, or a prefix where it ends in `/`.', { min: 1, max: 4096 })
  filepath?: string;

  @Flag('Adds `content` to each document. Default false.')
  includeContent = false;

  @Ordinal(`Documents on a page; more than ${MAX_LIMIT} count as ${MAX_LIMIT}. Default 10.`)
  limit: number | string = 10;

  @Ordinal('From 1. Default 1.')
  page: number | string = 1;

  @Choice(['createdAt', 'updatedAt'], 'Default createdAt.')
  sort: 'createdAt' | 'updatedAt' = 'createdAt';

  @Choice(['asc', 'desc'], 'Default desc.')
  order: 'asc' | 'desc' = 'desc';

  @Texts('Only documents in one of these states; both vocabularies.', { choices: STATUSES })
  status?: string | string[];

  @Text('Only documents from this source.', { max: 255 })
  source?: string;

  @Text('Only the document with this customId.', { max: 255 })
  customId?: string;
}

export interface Page {
  readonly page: number;
  readonly limit: number;
}

export const pageOf = (body: ListDocumentsBody): Page => ({
  page: Number(body.page),
  limit: Math.min(Number(body.limit), MAX_LIMIT),
});

export function listDocuments(caller: Caller, body: ListDocumentsBody): ListDocuments {
  const { page, limit } = pageOf(body);
  return new ListDocuments(caller, {
    tags: readableTags(caller, namedTags(body.containerTag, body.containerTags)),
    filter: filterOf(body.filters),
    filepath: body.filepath ?? null,
    stages: body.status === undefined ? null : stagesOf(body.status),
    source: body.source ?? null,
    customId: body.customId ?? null,
    includeContent: body.includeContent,
    sort: body.sort,
    order: body.order,
    page: Math.min(page, MAX_PAGE),
    limit,
  });
}

function stagesOf(status: string | readonly string[]): readonly Stage[] {
  const named = typeof status === 'string' ? [status] : status;
  return STAGES.filter(
    (stage) => named.includes(stage) || (named.includes('processing') && IN_PROCESS.includes(stage)),
  );
}

export class ProcessingQuery {
  @Tags('Repeated, or a comma list.')
  containerTags?: string | string[];

  @Tag('Joined with containerTags.')
  containerTag?: string;
}

export function listProcessing(caller: Caller, query: ProcessingQuery): ListProcessing {
  const named = namedTags(query.containerTag, query.containerTags).flatMap((tags) => tags.split(','));
  return new ListProcessing(caller, readableTags(caller, [...new Set(named.filter((tag) => tag !== ''))]));
}
