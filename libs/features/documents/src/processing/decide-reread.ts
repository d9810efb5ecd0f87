import { err, ok, type Result } from '#platform/kernel';
import type { ProcessingRestarted } from '../events.ts';
import type { DocumentState } from '../state.ts';

/**
 * Why a file is not read again. `no_file`: the document has no file. `has_texts`: texts were added to what was read from the
 * file, and a restart does not read it then. `has_failed`: a retry of the document reads the file.
 */
export type NotReread = 'not_found' | 'no_file' | 'has_texts' | 'in_work' | 'has_failed' | 'current';

/**
 * Has the file of a document that is done read again by a newer version of the extraction. All that a caller sent stays, and
 * so do the ids of passages that occur in the new text too.
 * @param reader version of the extraction
 */
export function decideReread(state: DocumentState, reader: number): Result<readonly [ProcessingRestarted], NotReread> {
  if (state.status !== 'live') return err('not_found');
  const { content, stage, contentVersion } = state;
  if (!('file' in content)) return err('no_file');
  if ('parts' in content) return err('has_texts');
  if (stage === 'failed') return err('has_failed');
  if (stage !== 'done') return err('in_work');
  if (state.reader >= reader) return err('current');
  return ok([{ type: 'ProcessingRestarted', contentVersion, payload: null }]);
}
