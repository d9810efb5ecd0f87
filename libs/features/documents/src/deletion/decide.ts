import { err, ok, type Result } from '#platform/kernel';
import { type DetailsChanged, type DocumentDeleted, STREAM_REMOVED } from '../events.ts';
import type { DocumentState } from '../state.ts';

/** A deletion is final and allowed in every stage, and once for a document whose stream was removed. */
export function decideDelete(state: DocumentState): Result<readonly [DocumentDeleted], 'not_found'> {
  const isRemoved = state.status === 'deleted' && state.removal !== undefined;
  return state.status === 'live' || isRemoved ? ok([{ type: 'DocumentDeleted', payload: null }]) : err('not_found');
}

/** Given a document whose stream was removed, then its deletion is recorded, unless it has been. */
export function decideRemoval(state: DocumentState): readonly DocumentDeleted[] {
  const isFound = state.status === 'deleted' && state.removal === 'found';
  return isFound ? [{ type: 'DocumentDeleted', payload: null, code: STREAM_REMOVED }] : [];
}

/** Given a document that carries a tag beside others, then it loses the tag. */
export function decideUntagged(
  state: DocumentState,
  tag: string,
): { readonly events: readonly DetailsChanged[]; readonly tags: readonly string[] } {
  const before = state.status === 'live' ? state.tags : [];
  const tags = before.filter((other) => other !== tag);
  return { events: tags.length === before.length ? [] : [{ type: 'DetailsChanged', payload: {} }], tags };
}

/** Given a memory of a document that is deleted, then it is deleted. */
export function decideErased(state: DocumentState, documentId: string): Result<readonly DocumentDeleted[], never> {
  const isOwn = state.status === 'live' && state.memory?.passage?.documentId === documentId;
  return ok(isOwn ? [{ type: 'DocumentDeleted', payload: null }] : []);
}
