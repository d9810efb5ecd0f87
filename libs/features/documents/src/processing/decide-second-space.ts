import { err, ok, type Result } from '#platform/kernel';
import type { DocumentEvent } from '../events.ts';
import type { DocumentState } from '../state.ts';
import type { Outdated } from './decide.ts';

/**
 * Records that the units of a document have vectors in a space of other languages, beside those that they had.
 * @param renewed vectors had to be made although the document has them: the cache had lost them
 */
export function decideSecondSpace(
  state: DocumentState,
  version: number,
  space: string,
  renewed: boolean,
): Result<readonly DocumentEvent[], Outdated> {
  if (state.status !== 'live' || state.contentVersion !== version || state.stage !== 'done') return err('outdated');
  if (state.vectorSpace === null || state.vectorSpace === space) return err('outdated');
  if (state.secondSpace === space && !renewed) return err('outdated');
  return ok([{ type: 'SecondSpaceEmbedded', contentVersion: version, payload: { space } }]);
}
