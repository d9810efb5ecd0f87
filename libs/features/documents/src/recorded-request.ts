import { type RecordedEvent, SYSTEM } from '#ports/event-store';
import { foldDocument } from './model.ts';
import { type DocumentStage, initialState } from './state.ts';

/** What a request has done to a document. */
export interface RecordedRequest {
  /** Of its last event. */
  readonly revision: number;
  /** Stage of the document after it; `done` where it is not known any more, because the document was deleted. */
  readonly status: DocumentStage;
  /** Of the document after it. */
  readonly tags: readonly string[];
  /** The document was added and, because the rest of the request failed, deleted again. */
  readonly isUndone: boolean;
}

/** Events after which the document waits to be processed. */
const QUEUING = ['DocumentAdded', 'ContentAppended', 'ContentReplaced', 'TextReceived', 'ProcessingRestarted'];

/**
 * Finds the events of a request in the stream of a document, also of a deleted one.
 * @param correlationId of the request
 * @returns null: it has recorded nothing there
 */
export function recordedRequest(events: readonly RecordedEvent[], correlationId: string): RecordedRequest | null {
  const isOwn = ({ envelope }: RecordedEvent) => envelope.correlationId === correlationId && envelope.actor !== SYSTEM;
  const own = events.filter(isOwn);
  const last = own.at(-1);
  if (last === undefined) return null;
  const { revision } = last;
  const { tags } = last.envelope;
  const isUndone = last.envelope.type === 'DocumentDeleted';
  if (own.some(({ envelope }) => QUEUING.includes(envelope.type)))
    return { revision, status: 'queued', tags, isUndone };
  const state = events.slice(0, events.lastIndexOf(last) + 1).reduce(foldDocument, initialState);
  return { revision, status: state.status === 'live' ? state.stage : 'done', tags, isUndone };
}
