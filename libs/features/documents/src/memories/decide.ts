import { err, ok, type Result } from '#platform/kernel';
import type { MemoriesTouched } from '../events.ts';
import type { DocumentState } from '../state.ts';

/** Given memories of a document that get streams of their own, then the document names those that it has not named yet. */
export function decideMemoryStreams(
  state: DocumentState,
  ids: readonly string[],
): Result<readonly MemoriesTouched[], 'not_found'> {
  if (state.status !== 'live' || state.memory !== null) return err('not_found');
  const first = ids.filter((id) => !state.touched.includes(id));
  return ok(first.length === 0 ? [] : [{ type: 'MemoriesTouched', payload: { ids: first } }]);
}
