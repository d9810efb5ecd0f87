import { foldersOfOrphans } from '#features/documents/clean-up';
import type { JsonObject } from '#platform/kernel';
import type { OperationsContext } from './operation.ts';

/**
 * Counts the documents that the log does not hold and whose files are here, and with `remove` lets the garbage collection
 * remove them. The first line has `documents` and since when they are kept (`since`; null: they are removed within a day); with
 * `remove` a second one has `released`.
 */
export async function* orphans(
  { parts }: OperationsContext,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const { store, blobs } = parts.storage;
  const { orphans: kept } = parts.documents;
  const folders = await foldersOfOrphans({ store, blobs, signal });
  yield { documents: folders.length, since: await kept.since() };
  if (input.remove !== true || signal.aborted) return;
  await kept.release();
  yield { released: true };
}
