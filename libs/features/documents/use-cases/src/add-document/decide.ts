import {
  type ContentInput,
  type DocumentAdded,
  type DocumentEvent,
  type DocumentState,
  replaceContent,
  type TextRef,
} from '#features/documents';
import { err, type Metadata, ok, type Result } from '#platform/kernel';
import { sameMetadata, splitMetadata } from '../metadata.ts';

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
  /** Null: keep what is stored. */
  readonly metadata: Metadata | null;
  readonly change: ContentChange;
}

/** How the content of a request changes the stored one. */
export type ContentChange =
  /** `isRepeated`: a former attempt of the same request has appended the text. */
  | { readonly kind: 'none'; readonly isRepeated: boolean }
  /** `sent`: hash of the text as it was sent; null: the whole text was sent. `borders`: where deltas begin in the text. */
  | {
      readonly kind: 'append';
      readonly text: TextRef;
      readonly sent: string | null;
      readonly borders: readonly number[];
    }
  /** `keepsFile`: for a text that is compared with what was read from the document's file. */
  | { readonly kind: 'replace'; readonly content: ContentInput; readonly keepsFile: boolean }
  /** The text waits until the document's file is read. */
  | { readonly kind: 'wait'; readonly text: TextRef; readonly sent: string; readonly overwrites: boolean };

/** The tags of the document stay. */
export function decideAddAgain(state: DocumentState, again: AddAgain): Result<readonly DocumentEvent[], 'not_found'> {
  if (state.status !== 'live') return err('not_found');
  const events: DocumentEvent[] = [];
  const { change } = again;
  // The changes of a retry belong to the first attempt, whose deltas stay known.
  const request = change.kind === 'none' && change.isRepeated ? (state.deltas?.request ?? null) : null;
  const ofRequest = request === null ? {} : { request };
  if (again.metadata !== null && !sameMetadata(again.metadata, state.metadata)) {
    const [metadata, ...rest] = splitMetadata(again.metadata);
    events.push({ type: 'DetailsChanged', payload: { ...ofRequest, ...(metadata && { metadata }) } });
    for (const metadataAdded of rest) {
      events.push({ type: 'DetailsChanged', payload: { ...ofRequest, metadataAdded } });
    }
  }
  const contentVersion = state.contentVersion + 1;
  if (change.kind === 'append') {
    const { text, sent, borders } = change;
    const payload = { text, ...(borders.length > 0 && { borders }), ...(sent !== null && { sent }) };
    events.push({ type: 'ContentAppended', contentVersion, payload });
  } else if (change.kind === 'replace') {
    events.push(...replaceContent(state, change.content, change.keepsFile));
  } else if (change.kind === 'wait') {
    const { text, sent, overwrites } = change;
    const payload = { text, sent, ...(overwrites && { overwrites }) };
    events.push({ type: 'TextReceived', contentVersion: state.contentVersion, payload });
  } else if (state.stage === 'failed') {
    events.push({ type: 'ProcessingRestarted', contentVersion: state.contentVersion, payload: null });
  }
  return ok(events);
}
