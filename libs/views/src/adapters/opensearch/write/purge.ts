import { rowModels } from '../admin/row-indices.ts';
import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';

/** Milliseconds. Longer than any writer can be late. */
const KEPT_MS = 24 * 60 * 60 * 1000;
const PURGE_TIMEOUT_MS = 300_000;
const DOCUMENTS_AT_ONCE = 1_000;

export async function purgeViews(connection: Connection, aliases: Aliases, now: number): Promise<void> {
  await removeStrayUnits(connection, aliases);
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
async function removeStrayUnits(connection: Connection, aliases: Aliases): Promise<void> {
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
    if (buckets.length > 0) await removeOlder(connection, aliases, buckets);
    if (by?.after_key === undefined) return;
    after = by.after_key;
  }
}

async function removeOlder(connection: Connection, aliases: Aliases, buckets: readonly Bucket[]): Promise<void> {
  const docs = buckets.map(({ key: { document } }) => ({
    ...{ _id: document, routing: document, _source: ['unitsRevision'] },
  }));
  const { docs: found } = await connection.call<{
    docs: readonly { readonly _id: string; readonly _source?: { readonly unitsRevision?: number } }[];
  }>({ method: 'POST', path: `/${aliases.of('documents')}/_mget`, body: { docs } });
  const revisions = new Map(found.map(({ _id, _source }) => [_id, _source?.unitsRevision ?? Number.MAX_SAFE_INTEGER]));
  const stray = buckets.filter(({ key, oldest }) => oldest.value < (revisions.get(key.document) as number));
  for (const { key } of stray) {
    const older = { range: { unitsRevision: { lt: revisions.get(key.document) as number } } };
    await connection.call(
      {
        method: 'POST',
        path: `/${aliases.of('units')}/_delete_by_query`,
        query: { conflicts: 'proceed', refresh: true, routing: key.document },
        body: { query: { bool: { filter: [{ term: { document: key.document } }, older] } } },
      },
      PURGE_TIMEOUT_MS,
    );
  }
}
