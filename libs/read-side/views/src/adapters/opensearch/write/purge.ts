import { rowModels } from '../admin/row-indices.ts';
import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { getRows } from '../get-rows.ts';
import type { Gate } from './gate.ts';

/** Milliseconds. Longer than any writer can be late. */
const KEPT_MS = 24 * 60 * 60 * 1000;
const PURGE_TIMEOUT_MS = 300_000;
const DOCUMENTS_AT_ONCE = 1_000;

export async function purgeViews(connection: Connection, aliases: Aliases, gate: Gate, now: number): Promise<void> {
  await removeStrayUnits(connection, aliases, gate);
  const models = (await rowModels(connection, aliases)).map((model) => aliases.ofModel(model));
  const query = { range: { deletedAt: { lte: now - KEPT_MS } } };
  await connection.call(
    {
      method: 'POST',
      path: `/${[aliases.of('documents'), aliases.of('units'), ...models].join()}/_delete_by_query`,
      query: { conflicts: 'proceed', refresh: true },
      body: { query },
    },
    PURGE_TIMEOUT_MS,
  );
}

interface Bucket {
  readonly key: { readonly document: string };
  readonly oldest: { readonly value: number };
}

/**
 * Removes units that a writer left which was paused in the middle of a bulk, of a document that has fewer units since.
 * No search returns them, because their revision is older than the document's.
 */
async function removeStrayUnits(connection: Connection, aliases: Aliases, gate: Gate): Promise<void> {
  const units = aliases.of('units');
  for (let after: Readonly<Record<string, string>> | undefined; ; ) {
    const composite = {
      size: DOCUMENTS_AT_ONCE,
      sources: [{ document: { terms: { field: 'document' } } }],
      ...(after && { after }),
    };
    const [answer] = await connection.search([
      {
        index: units,
        body: { size: 0, aggs: { by: { composite, aggs: { oldest: { min: { field: 'unitsRevision' } } } } } },
      },
    ]);
    const by = answer?.aggregations?.by;
    const buckets = (by?.buckets ?? []) as readonly Bucket[];
    const suspect = await withOlder(connection, aliases, buckets);
    // Units of a batch that is being written may be visible before their document is there.
    if (suspect.length > 0) await gate.alone(() => removeOlder(connection, aliases, suspect));
    if (by?.after_key === undefined) return;
    after = by.after_key;
  }
}

async function removeOlder(connection: Connection, aliases: Aliases, suspect: readonly Bucket[]): Promise<void> {
  for (const { document, revision } of await withOlder(connection, aliases, suspect)) {
    const older = { range: { unitsRevision: { lt: revision } } };
    await connection.call(
      {
        method: 'POST',
        path: `/${aliases.of('units')}/_delete_by_query`,
        query: { conflicts: 'proceed', refresh: true, routing: document },
        body: { query: { bool: { filter: [{ term: { document } }, older] } } },
      },
      PURGE_TIMEOUT_MS,
    );
  }
}

interface Suspect extends Bucket {
  readonly document: string;
  /** Of the units that the document counts. Units of a document without a row are all older. */
  readonly revision: number;
}

/** Returns the documents with units that are older than those that they count. */
async function withOlder(
  connection: Connection,
  aliases: Aliases,
  buckets: readonly Bucket[],
): Promise<readonly Suspect[]> {
  if (buckets.length === 0) return [];
  const docs = buckets.map(({ key: { document } }) => ({
    ...{ _id: document, routing: document, _source: ['unitsRevision'] },
  }));
  const found = await getRows<{ readonly unitsRevision?: number }>(connection, aliases.of('documents'), docs);
  const revisions = new Map(found.map(({ _id, _source }) => [_id, _source?.unitsRevision]));
  return buckets
    .map((bucket) => {
      const { document } = bucket.key;
      return { ...bucket, document, revision: revisions.get(document) ?? Number.MAX_SAFE_INTEGER };
    })
    .filter(({ oldest, revision }) => oldest.value < revision);
}
