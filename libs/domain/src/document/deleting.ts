import { err, ok, type Result } from '#kernel';
import type { Decided } from '../happened.ts';
import type { DocumentState } from './document.ts';

/** Allowed in every stage, and final. */
export function decideDelete(state: DocumentState): Result<readonly Decided[], 'not_found'> {
  return state.status === 'live' ? ok([{ type: 'DocumentDeleted', payload: null }]) : err('not_found');
}
