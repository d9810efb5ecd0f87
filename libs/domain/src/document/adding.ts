import { err, type Metadata, ok, type Result } from '#kernel';
import type { Decided } from '../happened.ts';
import type { DocumentState } from './document.ts';
import type { DocumentPayloads, TextRef } from './events.ts';

/** A first version of a new document. */
export type NewDocumentInput = DocumentPayloads['DocumentAdded'] & { readonly sizes: Readonly<Record<string, number>> };

/** What one event may hold of metadata, in characters of JSON; the rest follows in events of its own. */
const METADATA_PER_EVENT = 20_000;

export function decideAdd(input: NewDocumentInput): readonly Decided[] {
  const { sizes, metadata, ...payload } = input;
  const [first = null, ...rest] = splitMetadata(metadata);
  return [
    { type: 'DocumentAdded', contentVersion: 1, sizes, payload: { ...payload, metadata: first } },
    ...rest.map((metadataAdded) => ({ type: 'DetailsChanged', payload: { metadataAdded } })),
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

/** What a request's text means for the stored one. */
export type ContentChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'append'; readonly text: TextRef }
  | { readonly kind: 'replace'; readonly content: DocumentPayloads['ContentReplaced']['content'] };

export interface DecidedAgain {
  readonly events: readonly Decided[];
  /** The tags that hold from the first of these events on. */
  readonly tags: readonly string[];
}

export function decideAddAgain(state: DocumentState, again: AddAgain): Result<DecidedAgain, 'not_found'> {
  if (state.status !== 'live') return err('not_found');
  const tags = [...new Set([...state.tags, ...again.tags])];
  // The same request once more: what it asked for has happened, and must not happen twice.
  if (state.requests.includes(again.correlationId)) return ok({ events: [], tags: state.tags });
  const events: Decided[] = [];
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

/** How the text of a request relates to the stored text: resent, grown, or a part to put behind it. */
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

/** The first part always leaves room for what else its event holds; a value that is long by itself gets an event of its own. */
function splitMetadata(metadata: Metadata | null): Metadata[] {
  if (metadata === null) return [];
  const parts: Record<string, Metadata[string]>[] = [{}];
  let room = METADATA_PER_EVENT;
  for (const [key, value] of Object.entries(metadata)) {
    const size = key.length + String(value).length + 8;
    if (size > room) {
      parts.push({});
      room = METADATA_PER_EVENT;
    }
    // Not by assignment: a caller's key may be `__proto__`.
    Object.defineProperty(parts.at(-1), key, { value, enumerable: true, configurable: true, writable: true });
    room -= size;
  }
  return parts;
}
