import { organizationsOf } from '#features/access';
import { allRemovedStreams } from '#features/documents/clean-up';
import type { JsonObject } from '#platform/kernel';
import { compareViews, type Difference, type WrittenCounts } from '#read-side/projections';
import type { DocumentListQuery, ViewsReader } from '#read-side/views';
import { Lines } from './lines.ts';
import type { OperationsContext } from './operation.ts';

/**
 * Rebuilds the views beside the serving ones. The rebuilt views take over; with `verify` they are only compared with the
 * serving ones. The last line has `done`. With `verify` it also has `difference` (null: none) and `removedStreams`: the
 * names of the streams that were removed with the event log's own tools.
 */
export async function* replay(
  { parts }: OperationsContext,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const { storage, views } = parts;
  const organizations = await organizationsOf(storage.store);
  const documents = await countDocuments(views.reader, organizations);
  const lines = new Lines<JsonObject>();
  let difference: Difference | null = null;
  let written: WrittenCounts = { documents: 0, units: 0 };
  const rebuilt = views.rebuild({
    signal,
    onProgress: (progress) => {
      written = progress;
      // Deleted documents are written, too, and some documents twice.
      lines.put({ phase: 'rebuild', ...progress, documents: Math.min(progress.documents, documents), of: documents });
    },
    ...(input.verify === true && {
      inspect: async (both) => {
        const onProgress = (compared: number) => lines.put({ phase: 'compare', documents: compared, of: documents });
        difference = await compareViews({ ...both, organizations, onProgress, signal });
        return false;
      },
    }),
  });
  yield* lines.until(rebuilt);
  const verified = async () => ({
    difference: difference as JsonObject | null,
    removedStreams: [...(await allRemovedStreams(storage.store, signal))],
  });
  const result = input.verify === true ? await verified() : { switched: await rebuilt };
  yield { phase: 'done', done: !signal.aborted, ...written, ...result };
}

/** Counts the documents of all organizations, or those in some stages. */
export async function countDocuments(
  views: ViewsReader,
  organizations: Awaited<ReturnType<typeof organizationsOf>>,
  stages: DocumentListQuery['stages'] = null,
) {
  let count = 0;
  for (const organization of organizations) {
    const { total } = await views.list({
      ...{ scope: { organization, tags: 'all' }, holds: 'both', filter: null, filepath: null },
      ...{ stages, sort: 'createdAt', order: 'asc', offset: 0, limit: 1 },
    });
    count += total;
  }
  return count;
}
