import { appendAll, type EventStore, type NewEvent } from '#event-store';

/**
 * Appends the events of an imported document. On an engine without transactions over appends, stages may begin to work as
 * soon as the first part is recorded, so the rest follows after what they have recorded; their results are made again.
 * @returns false, with nothing recorded, if the stream exists
 */
export async function appendHistory(store: EventStore, stream: string, events: readonly NewEvent[]): Promise<boolean> {
  const first = await appendAll(store, stream, events, { expected: 'no-stream' });
  if (first.ok) return true;
  for (;;) {
    const present = await store.readStream(stream);
    const recorded = new Set(present.events.map(({ envelope }) => envelope.id));
    const rest = events.filter(({ envelope }) => !recorded.has(envelope.id));
    if (rest.length === events.length || present.erased || present.revision === 'no-stream') return false;
    if (rest.length === 0) return true;
    const appended = await appendAll(store, stream, rest, { expected: present.revision });
    if (appended.ok) return true;
  }
}
