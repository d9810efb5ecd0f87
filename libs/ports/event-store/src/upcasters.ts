import type { JsonObject } from '#platform/kernel';
import { mnemeError } from '#platform/kernel';
import type { AllSlice, EventStore, RecordedEvent } from './port.ts';

/** Converts a payload to the next schema version. */
export type Upcast = (payload: JsonObject) => JsonObject;

/** Converts events of all earlier schema versions to the current ones. */
export interface Upcasters {
  /** Returns a current event unchanged. @throws UpcasterChainError for a version newer than this program's */
  upcast(event: RecordedEvent): RecordedEvent;
}

/** An event type cannot be read in all of its schema versions. */
export class UpcasterChainError extends mnemeError('permanent', 'upcaster_chain') {}

/**
 * @param steps by event type and source version, e.g. `{ DocumentAdded: { 1: (v1) => v2 } }`
 * @param current the schema version of each type that this program writes, from 1
 * @throws UpcasterChainError if a version between 1 and the current one has no step
 */
export function createUpcasters(
  steps: Readonly<Record<string, Readonly<Record<number, Upcast>>>>,
  current: Readonly<Record<string, number>>,
): Upcasters {
  for (const type of Object.keys(steps)) {
    if (current[type] === undefined)
      throw new UpcasterChainError(`Upcasters for ${type}, which has no current version`);
  }
  const chains = new Map(
    Object.entries(current).map(([type, version]) => [type, chainTo(version, type, steps[type] ?? {})]),
  );
  return {
    upcast: (event) => {
      const { type, schemaVersion } = event.envelope;
      const chain = chains.get(type);
      if (!chain) return event;
      const target = chain.length + 1;
      if (schemaVersion > target) {
        throw new UpcasterChainError(
          `${type} version ${schemaVersion} was written by a newer program (known: ${target})`,
        );
      }
      // An erased event has no payload to convert, and keeps its version.
      if (schemaVersion === target || event.payload === null) return event;
      const payload = chain.slice(schemaVersion - 1).reduce((old, step) => step(old), event.payload);
      return { ...event, envelope: { ...event.envelope, schemaVersion: target }, payload };
    },
  };
}

/** Returns the steps from version 1 to `version`, in order. */
function chainTo(version: number, type: string, steps: Readonly<Record<number, Upcast>>): readonly Upcast[] {
  const past = Object.keys(steps).find((from) => Number(from) >= version);
  if (past) throw new UpcasterChainError(`The upcaster for ${type} from version ${past} leads past version ${version}`);
  return Array.from({ length: version - 1 }, (_, i) => {
    const step = steps[i + 1];
    if (!step) throw new UpcasterChainError(`No upcaster for ${type} from version ${i + 1}`);
    return step;
  });
}

/** Returns a view of the store whose readers get events in their current schema versions. */
export function withUpcasters(store: EventStore, upcasters: Upcasters): EventStore {
  const upcastAll = (events: readonly RecordedEvent[]) => events.map((event) => upcasters.upcast(event));
  // Only payloads have versions that differ.
  const upcastSlice = (slice: AllSlice, { envelopesOnly = false }: { readonly envelopesOnly?: boolean }): AllSlice =>
    envelopesOnly ? slice : { ...slice, events: upcastAll(slice.events) };
  return {
    storeId: store.storeId,
    append: (...args) => store.append(...args),
    appendTogether: (...args) => store.appendTogether(...args),
    readStream: async (...args) => {
      const slice = await store.readStream(...args);
      return { ...slice, events: upcastAll(slice.events) };
    },
    readAll: async (options) => upcastSlice(await store.readAll(options), options),
    head: () => store.head(),
    knownHead: () => store.knownHead(),
    subscribe: async function* (options) {
      for await (const slice of store.subscribe(options)) yield upcastSlice(slice, options);
    },
    erase: (stream) => store.erase(stream),
    compare: (a, b) => store.compare(a, b),
    parsePosition: (text) => store.parsePosition(text),
    holds: (position) => store.holds(position),
    saveSnapshot: (...args) => store.saveSnapshot(...args),
    loadSnapshot: (...args) => store.loadSnapshot(...args),
    close: () => store.close(),
  };
}
