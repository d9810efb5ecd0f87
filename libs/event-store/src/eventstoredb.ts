import type { InspectedEventStoreDb } from './adapters/eventstoredb/inspect.ts';
import type { EventStoreDbOptions } from './adapters/eventstoredb/options.ts';
import type { EventStore } from './port.ts';

const INSPECTION_MS = 3_000;

/**
 * The event log in EventStoreDB, payloads sealed. Any number of processes and threads, each with a client of its own.
 * @throws EventStoreUnreachableError, InvalidEventStoreUrlError, ForeignStreamKeysError, EventStoreTooOldError
 */
export async function openEventStoreDb(options: EventStoreDbOptions): Promise<EventStore> {
  // A process on the embedded log must not pay for loading the driver.
  const { EventStoreDbEventStore } = await import('./adapters/eventstoredb/eventstoredb-event-store.ts');
  return EventStoreDbEventStore.open(options);
}

/**
 * What the server says of itself, without its keys.
 * @param options.patience milliseconds; 3,000 unless told
 * @throws EventStoreUnreachableError, InvalidEventStoreUrlError
 */
export async function inspectEventStoreDb(options: {
  readonly url: string;
  readonly patience?: number;
}): Promise<InspectedEventStoreDb> {
  const { inspect } = await import('./adapters/eventstoredb/inspect.ts');
  return inspect(options.url, options.patience ?? INSPECTION_MS);
}
