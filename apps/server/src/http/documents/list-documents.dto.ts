import { ListDocuments, ListProcessing } from '#documents/use-cases';
import type { Caller } from '#kernel';
import { STAGES, type Stage } from '#views';
import { scopeOf } from '../access/tags.ts';
import { ShownBy } from '../openapi/examples.ts';
import { IsFlag, IsOneOf } from '../validation/rules/common.ts';
import { IsContainerTag, IsContainerTags, namedTags } from '../validation/rules/container-tags.ts';
import { filterOf, IsFilter } from '../validation/rules/filter.ts';
import { IsOrdinal } from '../validation/rules/numbers.ts';
import { IsText } from '../validation/rules/text.ts';
import { IsOneOrMore } from '../validation/rules/text-list.ts';

const MAX_LIMIT = 1100;
/** Beyond the end of any list, and exact when multiplied by a limit. */
export const MAX_PAGE = 1_000_000_000;

const IN_PROCESS: readonly Stage[] = STAGES.filter((stage) => !['queued', 'done', 'failed'].includes(stage));
/** Both vocabularies of the contract (§3.1); no document has the status `unknown`. */
const STATUSES = [...STAGES, 'processing', 'unknown'];

/** Which documents to list. */
@ShownBy({
  'The newest of a tag': { containerTags: ['project-atlas'], limit: 20, page: 1, sort: 'createdAt', order: 'desc' },
  'With a filter': {
    filters: {
      AND: [
        { key: 'kind', value: 'note' },
        { key: 'year', value: 2025, filterType: 'numeric', numericOperator: '>=' },
      ],
    },
    status: ['done', 'processing'],
    includeContent: true,
  },
})
export class ListDocumentsBody {
  /** Documents that carry at least one of these. Default: all documents. */
  @IsContainerTags()
  containerTags?: string | string[];

  /** Joined with containerTags. */
  @IsContainerTag()
  containerTag?: string;

  /** Restricts the documents by their metadata. */
  @IsFilter()
  filters?: unknown;

  /** Exact, or a prefix if it ends in `/`. */
  @IsText({ min: 1, max: 4096 })
  filepath?: string;

  /** Adds `content` to each document. */
  @IsFlag()
  includeContent = false;

  /** Documents on a page. A value above 1100 counts as 1100. */
  @IsOrdinal()
  limit: number | string = 10;

  /** Number of the page, from 1. */
  @IsOrdinal()
  page: number | string = 1;

  /** The time by which the list is ordered. */
  @IsOneOf(['createdAt', 'updatedAt'])
  sort: 'createdAt' | 'updatedAt' = 'createdAt';

  /** desc: the newest first. */
  @IsOneOf(['asc', 'desc'])
  order: 'asc' | 'desc' = 'desc';

  /** Only documents in one of these states, in either vocabulary. Empty: in any. */
  @IsOneOrMore(STATUSES)
  status?: string | string[];

  /** Only documents from this source. */
  @IsText({ max: 255 })
  source?: string;

  /** Only the document with this customId. */
  @IsText({ max: 255 })
  customId?: string;
}

export interface Page {
  readonly page: number;
  readonly limit: number;
}

export const pageFrom = (
  { page, limit }: { readonly page: number | string; readonly limit: number | string },
  maxLimit: number,
): Page => ({ page: Number(page), limit: Math.min(Number(limit), maxLimit) });

export const pageOf = (body: ListDocumentsBody): Page => pageFrom(body, MAX_LIMIT);

export function listDocuments(caller: Caller, body: ListDocumentsBody): ListDocuments {
  const { page, limit } = pageOf(body);
  return new ListDocuments(scopeOf(caller, namedTags(body.containerTag, body.containerTags)), {
    filter: filterOf(body.filters),
    filepath: body.filepath ?? null,
    stages: stagesOf(body.status),
    sources: body.source === undefined ? null : [body.source],
    customIds: body.customId === undefined ? null : [body.customId],
    includeContent: body.includeContent,
    sort: body.sort,
    order: body.order,
    page: Math.min(page, MAX_PAGE),
    limit,
  });
}

/** Null: no restriction. */
function stagesOf(status: string | readonly string[] = []): readonly Stage[] | null {
  const named = typeof status === 'string' ? [status] : status;
  if (named.length === 0) return null;
  return STAGES.filter(
    (stage) => named.includes(stage) || (named.includes('processing') && IN_PROCESS.includes(stage)),
  );
}

/** Which documents to list. */
@ShownBy({
  'Of a tag': { containerTag: 'project-atlas' },
})
export class ProcessingQuery {
  /** Repeated, or a comma list. */
  @IsContainerTags()
  containerTags?: string | string[];

  /** Joined with containerTags. */
  @IsContainerTag()
  containerTag?: string;
}

export function listProcessing(caller: Caller, query: ProcessingQuery): ListProcessing {
  const named = namedTags(query.containerTag, query.containerTags).flatMap((tags) => tags.split(','));
  return new ListProcessing(scopeOf(caller, [...new Set(named.filter((tag) => tag !== ''))]));
}
