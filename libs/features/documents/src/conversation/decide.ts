import { err, ok, type Result } from '#platform/kernel';
import type { ListRef, PicturesRead, PictureWords } from '../events.ts';
import type { Outdated } from '../processing/decide.ts';
import type { DocumentState } from '../state.ts';

/** For every version of the content: a picture is read once. */
export function decidePicturesRead(
  state: DocumentState,
  version: number,
  pictures: ListRef<PictureWords>,
): Result<readonly [PicturesRead], Outdated> {
  if (state.status !== 'live' || state.conversation === null) return err('outdated');
  return ok([{ type: 'PicturesRead', contentVersion: version, stage: 'extracting', payload: { pictures } }]);
}
