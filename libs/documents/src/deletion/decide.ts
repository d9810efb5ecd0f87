import { err, ok, type Result } from '#kernel';
import type { DocumentDeleted } from '../events.ts';
import type { DocumentState } from '../state.ts';

/** A deletion is final and allowed in every stage. */
export function decideDelete(state: DocumentState): Result<readonly [DocumentDeleted], 'not_found'> {
  return state.status === 'live' ? ok([{ type: 'DocumentDeleted', payload: null }]) : err('not_found');
}
