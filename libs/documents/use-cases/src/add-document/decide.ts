import type { ContentReplaced, DocumentAdded, DocumentEvent, DocumentState, TextRef } from '#documents';
import { err, type Metadata, ok, type Result } from '#kernel';
import { splitMetadata } from './metadata-events.ts';

/** The first version of a new document. */
export type NewDocumentInput = DocumentAdded['payload'] & { readonly sizes: Readonly<Record<string, number>> };

export function decideAdd(input: NewDocumentInput): readonly DocumentEvent[] {
  const { sizes, metadata, ...payload } = input;
  const [first = null, ...rest] = splitMetadata(metadata);
  return [
    { type: 'DocumentAdded', contentVersion: 1, sizes, payload: { ...payload, metadata: first } },
    ...rest.map((metadataAdded) => ({ type: 'DetailsChanged', payload: { metadataAdded } }) as const),
  ];
}

/** A request that names a document which exists already (contract §3.3). */
export interface AddAgain {
  readonly correlationId: string;
  /** Null: keep what is stored. */
  readonly metadata: Metadata | null;
  /** Tags that the document is to carry as well. */
  readonly tags: readonly string[];
  readonly change: ContentChange;
}

/** How the content of a request changes the stored one. */
export type ContentChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'append'; readonly text: TextRef }
  | { readonly kind: 'replace'; readonly content: ContentReplaced['payload']['content'] };

export interface AddAgainDecision {
  readonly events: readonly DocumentEvent[];
  /** The document's tags from the first of these events on. */
  readonly tags: readonly string[];
}

export function decideAddAgain(state: DocumentState, again: AddAgain): Result<AddAgainDecision, 'not_found'> {
  if (state.status !== 'live') return err('not_found');
  // A repeated request must not be carried out twice.
  if (state.requests.includes(again.correlationId)) return ok({ events: [], tags: state.tags });
  const tags = [...new Set([...state.tags, ...again.tags])];
  const events: DocumentEvent[] = [];
  if (tags.length > state.tags.length || (again.metadata !== null && !sameMetadata(again.metadata, state.metadata))) {
    const [metadata, ...rest] = splitMetadata(again.metadata);
    events.push({ type: 'DetailsChanged', payload: metadata ? { metadata } : {} });
    for (const metadataAdded of rest) events.push({ type: 'DetailsChanged', payload: { metadataAdded } });
  }
  const contentVersion = state.contentVersion + 1;
  if (again.change.kind === 'append') {
    events.push({ type: 'ContentAppended', contentVersion, payload: { text: again.change.text } });
  } else if (again.change.kind === 'replace') {
    events.push({ type: 'ContentReplaced', contentVersion, payload: { content: again.change.content } });
  } else if (state.stage === 'failed') {
    events.push({ type: 'ProcessingRestarted', contentVersion: state.contentVersion, payload: null });
  }
  return ok({ events, tags });
}

/** Compares the text of a request with the stored text: sent again, grown, or a part to append. */
export function compareTexts(stored: string, sent: string): 'same' | { readonly append: string } {
  if (sent === stored) return 'same';
  if (sent.startsWith(stored)) return { append: sent.slice(stored.length) };
  return { append: stored.endsWith('\n') ? sent : `\n${sent}` };
}

function sameMetadata(a: Metadata, b: Metadata | null): boolean {
  if (b === null) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}
