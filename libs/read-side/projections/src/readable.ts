import { lossIn } from '#features/documents';
import type { RecordedEvent } from '#ports/event-store';

/** Reads an event; as one without a payload where the key that seals its payload is lost. */
export function readable<T>(event: RecordedEvent, read: (event: RecordedEvent) => T): T {
  try {
    return read(event);
  } catch (error) {
    if (lossIn(error) === null) throw error;
    const { stream, revision, position, envelope } = event;
    return read({ stream, revision, position, envelope, payload: null });
  }
}
