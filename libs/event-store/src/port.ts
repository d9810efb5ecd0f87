import type { JsonObject, OrganizationId } from '#kernel';
import { MnemeError } from '#kernel';

/** A place in the log of one store. Opaque: only `EventStore.compare` may order two of them. */
export type Position = string & { readonly __brand: 'Position' };

/** What is known of an event for ever, also after its stream was erased. Never holds what a caller sent. */
export interface EventEnvelope {
  /** Also the key of idempotence: appending an id twice to a stream stores it once. */
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string;
  readonly organization: OrganizationId;
  /** The document's tags at that moment, in their order. */
  readonly tags: readonly string[];
  /** `key:<id>` or `system`. */
  readonly actor: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly contentVersion?: number;
  readonly stage?: string;
  readonly attempt?: number;
  /** Machine code of a failure. */
  readonly code?: string;
  /** Numbers that say how much, e.g. `{ characters: 512, units: 3 }`. */
  readonly sizes?: Readonly<Record<string, number>>;
}

export interface NewEvent {
  readonly envelope: EventEnvelope;
  /** Everything that a caller sent or that was derived from it; at most 64 KiB as JSON. */
  readonly payload: JsonObject | null;
}

export interface RecordedEvent {
  readonly stream: string;
  /** Place in the stream, from 0. */
  readonly revision: number;
  readonly position: Position;
  readonly envelope: EventEnvelope;
  /**
   * Null where it never had one or where the stream was erased. Asking for it throws MissingStreamKeyError where the key
   * that it is sealed with was lost; the envelope can be read all the same.
   */
  readonly payload: JsonObject | null;
}

/** What the appender believes of the stream: its last revision, or a named sentinel. */
export type ExpectedRevision = number | 'no-stream' | 'stream-exists' | 'any';

export type AppendResult =
  | {
      readonly ok: true;
      readonly revision: number;
      readonly position: Position;
      /** The stream is erased: the payloads of this append were dropped too. */
      readonly erased: boolean;
    }
  | { readonly ok: false; readonly conflict: { readonly actual: number | 'no-stream' } };

export interface StreamRange {
  /** Revision of the first event that is wanted. */
  readonly from?: number;
  /** Events at the most. */
  readonly limit?: number;
}

export interface StreamSlice {
  readonly events: readonly RecordedEvent[];
  /** Revision of the last event of the stream, or of the last one here where a limit left the rest out, or `no-stream`. */
  readonly revision: number | 'no-stream';
  /** The stream was erased; whoever folded it before must fold it again, for the fold holds what was erased. */
  readonly erased: boolean;
}

export interface EventFilter {
  /** Names before the first `-` of a stream: `document`, `customid`, `key`, `organization`. */
  readonly categories?: readonly string[];
  readonly types?: readonly string[];
  readonly organization?: OrganizationId;
}

export interface AllSlice {
  readonly events: readonly RecordedEvent[];
  /** The place up to which the log was looked at, filtered events included; where to go on reading. Null: empty log. */
  readonly position: Position | null;
  /** True when nothing stood behind it at the time of reading. */
  readonly end: boolean;
}

export interface AppendOptions {
  readonly expected: ExpectedRevision;
  /** Removes every payload of the stream, those of this append included, in the same transaction. */
  readonly erase?: boolean;
  /** The ids were made for this call: no event of it can stand in the stream already. */
  readonly newIds?: boolean;
}

export interface EventStore {
  /** Names this log for ever; a position means something only together with it. */
  readonly storeId: string;
  /**
   * Durable when it resolves. All events of one call are stored, or none. A call whose events all stand in the stream
   * already, where the expected revision puts them, answers as if it had stored them; one of which some stand there is a
   * conflict.
   * @param events at least one, with distinct ids
   * @throws StorageFullError when the disk is full; nothing of the call is stored then. EventStoreUnreachableError
   */
  append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<AppendResult>;
  readStream(stream: string, options?: StreamRange): Promise<StreamSlice>;
  readAll(options: {
    readonly after: Position | null;
    readonly limit: number;
    readonly filter?: EventFilter;
    /** Leaves the payloads where they are, for readers that need no content; every payload is null then. */
    readonly envelopesOnly?: boolean;
  }): Promise<AllSlice>;
  /** Place of the newest event, or null for an empty log. */
  head(): Promise<Position | null>;
  /**
   * Everything after a position, then what is appended from then on, in order and without gaps, in non-empty batches.
   * Ends when the signal aborts; throws when the store is closed or lost.
   */
  subscribe(options: {
    readonly after: Position | null;
    readonly filter?: EventFilter;
    /** As in `readAll`. */
    readonly envelopesOnly?: boolean;
    readonly signal: AbortSignal;
    /** Events in one batch at the most; 512 unless told. */
    readonly batch?: number;
  }): AsyncIterable<AllSlice>;
  /**
   * From then on every reader gets the stream's envelopes without payloads; its snapshots go too. It stays erased: payloads
   * and snapshots that come later, e.g. from a stage that was still running, are dropped.
   */
  erase(stream: string): Promise<void>;
  /** Negative: a is before b. @throws RangeError for text that is no position of this store */
  compare(a: Position, b: Position): number;
  /** Reads a position that a caller sent. Null: not one of this store. */
  parsePosition(text: string): Position | null;
  /** Kept unless it is older than the one held under this name, or the stream is erased. */
  saveSnapshot(stream: string, revision: number, name: string, state: JsonObject): Promise<void>;
  loadSnapshot(stream: string, name: string): Promise<{ readonly revision: number; readonly state: JsonObject } | null>;
  close(): Promise<void>;
}

/** Events are for facts; what is longer belongs into a blob. Thrown for a payload of more than 64 KiB as JSON. */
export class PayloadTooLargeError extends MnemeError {
  override readonly name = 'PayloadTooLargeError';
  override readonly kind = 'permanent';
  override readonly code = 'payload_too_large';
}

/** The store could not write for lack of space; reads and deletions go on. */
export class StorageFullError extends MnemeError {
  override readonly name = 'StorageFullError';
  override readonly kind = 'transient';
  override readonly code = 'no_space';
}

/**
 * The store did not answer, though it was asked for some seconds. An append may or may not have been stored: the same call
 * again, with the same event ids, finds out and stores it once.
 */
export class EventStoreUnreachableError extends MnemeError {
  override readonly name = 'EventStoreUnreachableError';
  override readonly kind = 'transient';
  override readonly code = 'event_store_unreachable';
}
