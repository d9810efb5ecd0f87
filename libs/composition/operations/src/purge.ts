import type { JsonObject } from '#platform/kernel';
import type { OperationsContext } from './operation.ts';

/** Milliseconds in which the views reach the end of the log. */
const CATCH_UP_MS = 60_000;

/**
 * Removes what was deleted before from the files of the views. The only line has `done`. With it `kept`: false if the
 * engine keeps no deleted rows, so that nothing had to be removed. Without it `reason`.
 */
export async function* purge(
  { parts }: OperationsContext,
  _input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const { storage, views } = parts;
  // The rows of a deletion are deleted when the views have reached it.
  if (!(await views.progress.reached(await storage.store.head(), CATCH_UP_MS))) {
    yield { done: false, reason: 'the views are behind the event log' };
    return;
  }
  const outcome = await views.purge(signal);
  if (outcome === false) {
    const reason = signal.aborted ? 'it was aborted' : 'a copy of the views has not confirmed all deletions yet';
    yield { done: false, reason };
  } else yield { done: true, kept: outcome !== null };
}
