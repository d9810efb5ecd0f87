import { appendAll, type EventStore, type NewEvent, type RecordedEvent } from '#ports/event-store';

export interface HistoryOptions {
  /** A former import was interrupted when it had recorded some of the events. */
  readonly isBegun?: boolean;
}

/**
 * Appends the events of an imported document. On an engine without transactions over appends, stages may begin to work as
 * soon as the first part is recorded, so the rest follows after what they have recorded; their results are made again.
 * @returns false, with nothing recorded, if the stream exists and has none of the events, or others with their ids
 */
export async function appendHistory(
  store: EventStore,
  stream: string,
  events: readonly NewEvent[],
  { isBegun = false }: HistoryOptions = {},
): Promise<boolean> {
  if (!isBegun && (await appendAll(store, stream, events, { expected: 'no-stream' })).ok) return true;
  for (;;) {
    const present = await store.readStream(stream);
    const recorded = new Map(present.events.map((event) => [event.envelope.id, event]));
    const rest = events.filter(({ envelope }) => !recorded.has(envelope.id));
    if (rest.length === events.length || present.erased || present.revision === 'no-stream') return false;
    if (!events.every((event) => isSame(event, recorded.get(event.envelope.id)))) return false;
    if (rest.length === 0) return true;
    const appended = await appendAll(store, stream, rest, { expected: present.revision });
    if (appended.ok) return true;
  }
}

/** Whether the event is recorded as it is, or not at all. */
const isSame = ({ payload }: NewEvent, recorded: RecordedEvent | undefined): boolean =>
  recorded === undefined || JSON.stringify(recorded.payload) === JSON.stringify(payload);
