import type { EventStoreDbOptions } from './adapters/eventstoredb/options.ts';
import type { EventStore } from './port.ts';

/**
 * The event log in EventStoreDB, payloads sealed. Any number of processes and threads, each with a client of its own.
 * @throws EventStoreUnreachableError, InvalidEventStoreUrlError, ForeignStreamKeysError, EventStoreTooOldError
 */
export async function openEventStoreDb(options: EventStoreDbOptions): Promise<EventStore> {
  // A process on the embedded log must not pay for loading the driver.
  const { EventStoreDbEventStore } = await import('./adapters/eventstoredb/eventstoredb-event-store.ts');
  return EventStoreDbEventStore.open(options);
}
