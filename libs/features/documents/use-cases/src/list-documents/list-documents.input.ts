import { PagedInput, pagedOptions, pageFrom } from '#features/documents/requests';
import { filterOf, IsFilter } from '#features/search/input';
import { IsFlag, IsOneOrMore, IsPastTime, IsText, momentOf, namedTags, type Page, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { STAGES, type Stage } from '#read-side/views';
import { ListDocuments } from './list-documents.query.ts';

const MAX_LIMIT = 1100;

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
export class ListDocumentsInput extends PagedInput {
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
  override limit: number | string = 10;

  /** Only documents in one of these states, in either vocabulary. Empty: in any. */
  @IsOneOrMore(STATUSES)
  status?: string | string[];

  /** Only documents from this source. */
  @IsText({ max: 255 })
  source?: string;

  /** Only documents with this customId. */
  @IsText({ max: 255 })
  customId?: string;

  /** A time that is not in the future: the documents as they were then. Default: as they are now. */
  @IsPastTime()
  asOf?: string;
}

export const pageOf = (body: ListDocumentsInput): Page => pageFrom(body, MAX_LIMIT);

export const listDocuments = (principal: Principal, body: ListDocumentsInput): ListDocuments =>
  new ListDocuments(principal, namedTags(body), {
    filter: filterOf(body.filters),
    filepath: body.filepath ?? null,
    stages: stagesOf(body.status),
    sources: body.source === undefined ? null : [body.source],
    customIds: body.customId === undefined ? null : [body.customId],
    includeContent: body.includeContent,
    asOf: momentOf(body),
    ...pagedOptions(body, MAX_LIMIT),
  });

/** Null: no restriction. */
function stagesOf(status: string | readonly string[] = []): readonly Stage[] | null {
  const named = typeof status === 'string' ? [status] : status;
  if (named.length === 0) return null;
  return STAGES.filter(
    (stage) => named.includes(stage) || (named.includes('processing') && IN_PROCESS.includes(stage)),
  );
}
