import { type EventCatalogue, typesWith } from '#platform/kernel';
import type { DocumentEvent } from './events.ts';

interface DocumentEventFacts {
  /** Whether callers write it. A running merge of tags refuses it; deletions and the results of stages go on. */
  readonly isWrite: boolean;
  /**
   * Whether `updatedAt` moves. Summaries and second vectors follow from the content, which has not changed with them; what
   * callers do with the memories of a document is in the streams of these.
   */
  readonly isUpdate: boolean;
  /** A stream, of which it is the first event and never a later one; or a version of the content, or its processing. */
  readonly begins: 'stream' | 'version' | null;
}

export const DOCUMENT_EVENTS: EventCatalogue<DocumentEvent, DocumentEventFacts> = {
  DocumentAdded: { version: 1, payload: true, isWrite: true, isUpdate: true, begins: 'stream' },
  ContentAppended: { version: 1, payload: true, isWrite: true, isUpdate: true, begins: 'version' },
  ContentReplaced: { version: 1, payload: true, isWrite: true, isUpdate: true, begins: 'version' },
  TextReceived: { version: 1, payload: true, isWrite: true, isUpdate: true, begins: null },
  FileRemoved: { version: 1, payload: true, isWrite: false, isUpdate: true, begins: null },
  DetailsChanged: { version: 1, payload: true, isWrite: true, isUpdate: true, begins: null },
  MessagesReceived: { version: 1, payload: true, isWrite: true, isUpdate: true, begins: null },
  PicturesRead: { version: 1, payload: true, isWrite: false, isUpdate: true, begins: null },
  StageStarted: { version: 1, payload: false, isWrite: false, isUpdate: true, begins: null },
  StageAbandoned: { version: 1, payload: false, isWrite: false, isUpdate: true, begins: null },
  ContentExtracted: { version: 1, payload: true, isWrite: false, isUpdate: true, begins: null },
  PageUnchanged: { version: 1, payload: true, isWrite: false, isUpdate: true, begins: null },
  FetchDelayed: { version: 1, payload: true, isWrite: false, isUpdate: true, begins: null },
  ExtractionDeferred: { version: 1, payload: false, isWrite: false, isUpdate: true, begins: null },
  ContentChunked: { version: 1, payload: true, isWrite: false, isUpdate: true, begins: null },
  MemoriesFormed: { version: 1, payload: true, isWrite: false, isUpdate: true, begins: null },
  SummaryFormed: { version: 1, payload: true, isWrite: false, isUpdate: false, begins: null },
  UnitsEmbedded: { version: 1, payload: true, isWrite: false, isUpdate: true, begins: null },
  SecondSpaceEmbedded: { version: 1, payload: true, isWrite: false, isUpdate: false, begins: null },
  DocumentIndexed: { version: 1, payload: false, isWrite: false, isUpdate: true, begins: null },
  ProcessingFailed: { version: 1, payload: true, isWrite: false, isUpdate: true, begins: null },
  ProcessingRestarted: { version: 1, payload: false, isWrite: false, isUpdate: true, begins: 'version' },
  DocumentImported: { version: 1, payload: true, isWrite: false, isUpdate: false, begins: null },
  MemoriesTouched: { version: 1, payload: true, isWrite: true, isUpdate: false, begins: null },
  DocumentDeleted: { version: 1, payload: false, isWrite: false, isUpdate: true, begins: null },
  MemoryRecorded: { version: 1, payload: true, isWrite: true, isUpdate: true, begins: 'stream' },
  PassageTouched: { version: 1, payload: true, isWrite: true, isUpdate: true, begins: 'stream' },
  MemoryRevised: { version: 1, payload: true, isWrite: true, isUpdate: true, begins: 'version' },
  MemoryForgotten: { version: 1, payload: true, isWrite: true, isUpdate: true, begins: null },
  MemoryRestored: { version: 1, payload: false, isWrite: true, isUpdate: true, begins: null },
  SentencesRestored: { version: 1, payload: true, isWrite: true, isUpdate: true, begins: null },
  MemoryExpired: { version: 1, payload: false, isWrite: false, isUpdate: true, begins: null },
};

/** Of the first event of a stream. */
export const OPENINGS: readonly string[] = [...typesWith(DOCUMENT_EVENTS, ({ begins }) => begins === 'stream')];

/** Of events with which a version of the content begins in a stream, or is processed again. */
export const NEW_VERSIONS: readonly string[] = [...typesWith(DOCUMENT_EVENTS, ({ begins }) => begins === 'version')];

/** The first event of the stream of a memory is of one of these types. @param type undefined: there is no event */
export const opensMemory = (type: string | undefined): boolean =>
  type === 'MemoryRecorded' || type === 'PassageTouched';

export const isOpening = (type: string): boolean => OPENINGS.includes(type);
