import { type AccessScope, haveSameTags, permits, type Result } from '#platform/kernel';
import type { Cause, Position } from '#ports/event-store';
import type { DocumentEvent } from './events.ts';
import type { DocumentState } from './state.ts';

export interface DocumentChanged {
  readonly state: DocumentState;
  /** Of the last event; null if there was nothing to record. */
  readonly position: Position | null;
}

/** Decisions that change the tags say what they are from then on. */
export type DocumentDecision =
  | readonly DocumentEvent[]
  | { readonly events: readonly DocumentEvent[]; readonly tags: readonly string[] };

/** `not_found` also for documents of other organizations; `forbidden`: none of the document's tags is in the scope. */
export type AccessRefusal = 'not_found' | 'forbidden';

/** Changes a document through its stream. */
export type ChangeDocument = <E>(
  scope: AccessScope,
  id: string,
  cause: Cause,
  decide: (state: DocumentState) => Result<DocumentDecision, E>,
) => Promise<Result<DocumentChanged, E | 'forbidden'>>;

/**
 * Why a caller may not see a document with these tags, or null. What it may not see by a customId, or with the tags that it has
 * picked, does not exist for it.
 * @param isById its internal id addresses it
 */
export function accessRefusal(scope: AccessScope, tags: readonly string[], isById: boolean): AccessRefusal | null {
  const { organization, picked, isExact = false, readable = [] } = scope;
  const isPicked = (asked: readonly string[]) =>
    isExact && !isById ? haveSameTags(tags, asked) : tags.some((tag) => asked.includes(tag));
  if (picked !== undefined && !isPicked(picked)) return 'not_found';
  if (permits(scope, tags)) return null;
  return isById || permits({ organization, tags: readable }, tags) ? 'forbidden' : 'not_found';
}
