import { foldWith, type StoredEvent } from '#platform/kernel';
import type { Model } from '#ports/event-store';
import { DOCUMENT_EVENTS } from './catalogue.ts';
import { evolve } from './evolve.ts';
import { type DocumentState, initialState, isInWork, removedState, STATE_VERSION } from './state.ts';

/** The reducer of a document's stored events. */
export const foldDocument: (state: DocumentState, event: StoredEvent) => DocumentState = foldWith(
  DOCUMENT_EVENTS,
  evolve,
);

/** How the state of a document follows from its stream. */
export const DOCUMENT: Model<DocumentState> = {
  name: 'document',
  version: STATE_VERSION,
  initialState,
  removedState,
  isInWork,
  evolve: foldDocument,
};
