import type { OrganizationId, Scope } from '#platform/kernel';
import type { TagTotals, Totals } from '../../../queries.ts';
import type { Body, Connection, Hit } from '../connection.ts';
import { rowFrom } from '../documents.ts';
import { inactiveAt } from '../moments.ts';
import { termOf } from '../term.ts';
import { inScope, isDirect, isTouched, ofHeld } from '../terms.ts';

/** Tags in one answer. */
const PAGE = 1_000;

interface Bucket {
  readonly key: { readonly tag: string };
  readonly doc_count: number;
  readonly memories: { readonly value: number };
  readonly direct: { readonly doc_count: number };
  readonly touched: { readonly doc_count: number };
  readonly inactive: { readonly memories: { readonly value: number } };
  readonly created: { readonly value: number };
  readonly updated: { readonly value: number };
  readonly sample: { readonly hits: { readonly hits: readonly Hit<{ readonly row: string }>[] } };
}

const MEMORIES: Body = { memories: { sum: { field: 'memories' } } };

/** `touched`: the documents of these hold them as well. */
const OWN_ROWS: Body = { direct: { filter: isDirect }, touched: { filter: isTouched } };

const totalsAt = (now: number): Body => ({
  ...MEMORIES,
  inactive: { filter: inactiveAt(now), aggs: MEMORIES },
  ...OWN_ROWS,
  created: { min: { field: 'createdAt' } },
  updated: { max: { field: 'updatedAt' } },
  // The index holds hashes of the tags; a document that carries the tag has its name.
  sample: { top_hits: { size: 1, _source: ['row'] } },
});

const filterOf = (scope: Scope): Body[] => [...inScope(scope), ...ofHeld('both')];

/** Adds up the documents of each tag. */
export async function tagTotals(
  connection: Connection,
  index: string,
  scope: Scope,
  now: number,
): Promise<TagTotals[]> {
  const totals: TagTotals[] = [];
  for (let after: Body | undefined; ; ) {
    const composite: Body = { size: PAGE, sources: [{ tag: { terms: { field: 'tags' } } }], ...(after && { after }) };
    const aggs: Body = { by: { composite, aggs: totalsAt(now) } };
    const body: Body = { size: 0, track_total_hits: false, query: { bool: { filter: filterOf(scope) } }, aggs };
    const [answer] = await connection.search([{ index, body }]);
    const { buckets = [], after_key } = answer?.aggregations?.by ?? {};
    totals.push(...(buckets as readonly Bucket[]).flatMap((bucket) => totalsOf(bucket, scope)));
    if (after_key === undefined) break;
    after = after_key;
  }
  return totals.sort((a, b) => Buffer.compare(Buffer.from(a.tag), Buffer.from(b.tag)));
}

export async function scopeTotals(connection: Connection, index: string, scope: Scope): Promise<Totals> {
  const aggs: Body = { ...MEMORIES, ...OWN_ROWS };
  const body: Body = { size: 0, track_total_hits: true, query: { bool: { filter: filterOf(scope) } }, aggs };
  const [answer] = await connection.search([{ index, body }]);
  const { memories, direct, touched } = answer?.aggregations ?? {};
  const documents = (answer?.hits.total?.value ?? 0) - (direct?.doc_count ?? 0);
  return { documents, memories: (memories?.value ?? 0) - (touched?.doc_count ?? 0) };
}

export async function storedIn(
  connection: Connection,
  index: string,
  organization: OrganizationId,
): Promise<{ readonly documents: number; readonly storedBytes: number }> {
  const aggs: Body = { ...OWN_ROWS, stored: { sum: { field: 'storedBytes' } } };
  const query = { bool: { filter: filterOf({ organization, tags: 'all' }) } };
  const [answer] = await connection.search([{ index, body: { size: 0, track_total_hits: true, query, aggs } }]);
  const { direct, stored } = answer?.aggregations ?? {};
  return {
    documents: (answer?.hits.total?.value ?? 0) - (direct?.doc_count ?? 0),
    storedBytes: stored?.value ?? 0,
  };
}

function totalsOf({ key, doc_count, sample, ...sums }: Bucket, scope: Scope): TagTotals[] {
  const { direct, touched, inactive, created, updated } = sums;
  const json = sample.hits.hits[0]?._source.row;
  const tag = json && rowFrom(json).tags.find((one) => termOf('tag', scope.organization, one) === key.tag);
  if (!tag || (scope.tags !== 'all' && !scope.tags.includes(tag))) return [];
  const times = { createdAt: created.value, updatedAt: updated.value };
  const memories = sums.memories.value - inactive.memories.value - touched.doc_count;
  return [{ tag, documents: doc_count - direct.doc_count, memories, ...times }];
}
