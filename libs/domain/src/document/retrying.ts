import { err, ok, type Result } from '#kernel';
import type { Decided } from '../happened.ts';
import type { DocumentState } from './document.ts';

/** Has a failed document processed once more, from its first stage on. */
export function decideRetry(state: DocumentState): Result<readonly Decided[], 'not_found' | 'not_failed'> {
  if (state.status !== 'live') return err('not_found');
  if (state.stage !== 'failed') return err('not_failed');
  return ok([{ type: 'ProcessingRestarted', contentVersion: state.contentVersion, payload: null }]);
}
