import type { EventStoreDbEventStore } from './adapters/eventstoredb/eventstoredb-event-store.ts';
import type { InspectedEventStoreDb } from './adapters/eventstoredb/inspect.ts';
import type { EventStoreDbOptions } from './adapters/eventstoredb/options.ts';

const INSPECTION_TIMEOUT_MS = 3_000;

/**
 * Opens the event log in EventStoreDB, with sealed payloads. Any number of processes and threads may open it.
 * @throws EventStoreUnreachableError, InvalidEventStoreUrlError, EventStoreAccessDeniedError, ForeignStreamKeysError,
 *   EventStoreTooOldError, StoreIdentityRemovedError
 */
export async function openEventStoreDb(options: EventStoreDbOptions): Promise<EventStoreDbEventStore> {
  // Loaded here, so that a process on the embedded log does not load the driver.
  const { EventStoreDbEventStore: Store } = await import('./adapters/eventstoredb/eventstoredb-event-store.ts');
  return Store.open(options);
}

/**
 * Returns what the server reports, without reading its keys.
 * @param options.timeoutMs Milliseconds. Default: 3000.
 * @throws EventStoreUnreachableError, InvalidEventStoreUrlError
 */
export async function inspectEventStoreDb(options: {
  readonly url: string;
  readonly timeoutMs?: number;
}): Promise<InspectedEventStoreDb> {
  const { inspect } = await import('./adapters/eventstoredb/inspect.ts');
  return inspect(options.url, options.timeoutMs ?? INSPECTION_TIMEOUT_MS);
}
