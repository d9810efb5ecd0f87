import type { JsonObject, OrganizationId } from '#platform/kernel';

/**
 * The position of an event in the log of one store. It names its event, so that `EventStore.holds` recognizes a log with
 * another history. Opaque: only `EventStore.compare` may order positions.
 */
export type Position = string & { readonly __brand: 'Position' };

/** The part of an event that is kept after its stream was erased. Never contains what a caller sent. */
export interface EventEnvelope {
  /** Appending an id twice to a stream stores it once. */
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string;
  readonly organization: OrganizationId;
  /** The document's tags when the event was recorded, in their order. */
  readonly tags: readonly string[];
  /** `key:<id>`, `member:<id>` of a member who is signed in, `connection:<id>`, or `system`. */
  readonly actor: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly contentVersion?: number;
  readonly stage?: string;
  readonly attempt?: number;
  /** Machine code of a failure. */
  readonly code?: string;
  /** E.g. `{ characters: 512, units: 3 }`. */
  readonly sizes?: Readonly<Record<string, number>>;
  /** Under which the event is published. Absent: the category of its stream. */
  readonly category?: 'memory';
}

export interface NewEvent {
  readonly envelope: EventEnvelope;
  /** What a caller sent and what was derived from it. Limit: 65 KiB as JSON. */
  readonly payload: JsonObject | null;
}

export interface RecordedEvent {
  readonly stream: string;
  /** From 0. */
  readonly revision: number;
  readonly position: Position;
  readonly envelope: EventEnvelope;
  /**
   * Null if the event never had a payload or the stream was erased. Reading it throws MissingStreamKeyError if its key is
   * lost; the envelope stays readable.
   */
  readonly payload: JsonObject | null;
}

/** The last revision of the stream that an append expects, or a named condition. */
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

/** One append of `appendTogether`. */
export interface StreamAppend {
  readonly stream: string;
  /** At least one, with fresh ids; limits as of `EventStore.append`. */
  readonly events: readonly NewEvent[];
  readonly expected: number | 'no-stream';
}

/** Appends that depend on each other: each is only carried out after the one before it. */
export type AppendChain = readonly StreamAppend[];

export type ChainResult =
  | { readonly ok: true; readonly appended: readonly Extract<AppendResult, { readonly ok: true }>[] }
  | {
      readonly ok: false;
      /** The stream that is not at the expected revision; null: the chain was not carried out for another reason. */
      readonly conflict: string | null;
      /** Why the chain failed, if not by a conflict; null otherwise. */
      readonly error: unknown;
    };

export interface StreamRange {
  /** Revision of the first event. Default: 0. */
  readonly from?: number;
  /** Limit of the events. Default: all. */
  readonly limit?: number;
  /**
   * The erasure of the stream need not be noticed before this client has followed the log up to it, which an engine may
   * learn without a request. Default: false.
   */
  readonly mayBeStale?: boolean;
}

export interface StreamSlice {
  readonly events: readonly RecordedEvent[];
  /**
   * Revision of the last event of the stream, or of the last event here if a limit cut the rest off. Of a stream that was
   * removed with the tools of the engine: a revision, though there are no events.
   */
  readonly revision: number | 'no-stream';
  /** The stream was erased. A fold from before contains erased content and must be made again. */
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
  /** Cursor for the next read: the position up to which the log was examined, filtered events included. Null: empty log. */
  readonly position: Position | null;
  /** Whether the log ended here at the time of reading. */
  readonly end: boolean;
}

/** Streams that were removed with the tools of the engine. */
export interface Removals {
  readonly streams: readonly string[];
  /** Up to where the log was examined. */
  readonly position: Position;
  /** Whether the log ended here at the time of reading. */
  readonly end: boolean;
}

/**
 * Returns the error that refuses an append, or null. Asked as late as the engine can still leave the append out, because an
 * append may wait for others, for a key, or while it gives way. Not asked again for a repeated request: the first may have
 * been recorded.
 */
export type Admit<T> = (append: T) => Error | null;

export interface AppendOptions {
  readonly expected: ExpectedRevision;
  /** Removes every payload of the stream, those of this append included, in the same transaction. */
  readonly erase?: boolean;
  /** Event ids are fresh; skip the idempotency lookup. */
  readonly newIds?: boolean;
  /** The append rejects with the error. Default: permitted. */
  readonly admit?: Admit<readonly NewEvent[]>;
}

export interface TogetherOptions {
  /** Called for chains that are recorded while others still are not, before the call resolves. */
  readonly onRecorded?: (chain: AppendChain, result: ChainResult) => void;
  /** Events of a chain that are not recorded yet. The chain ends there with the error; the others go on. Default: permitted. */
  readonly admit?: Admit<readonly NewEvent[]>;
}

export interface EventStore {
  /** Identifies this log. A position is valid only in the log that it comes from, and a copy has the same id. */
  readonly storeId: string;
  /**
   * Appends all events of the call or none. Durable when it resolves. If the stream already holds all of them at the
   * expected revision, the result is the same as of the first call; if it holds some of them, the result is a conflict.
   * @param events 1 to 12, with distinct ids, in all at most 900 KiB of envelopes and payloads as JSON
   * @throws StorageFullError, EventStoreUnreachableError, PayloadTooLargeError, AppendTooLargeError
   */
  append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<AppendResult>;
  /**
   * Appends to several streams; no stream may occur twice, except one append after the other in a chain. An engine with
   * transactions over streams records all chains or, after a conflict, none. Without them each chain is independent: it ends
   * at its first conflict or error, with what it recorded until then, and the others go on. Durable when it resolves.
   * @returns a result for each chain, in their order
   * @throws as `append`, if nothing was recorded
   */
  appendTogether(chains: readonly AppendChain[], options?: TogetherOptions): Promise<readonly ChainResult[]>;
  readStream(stream: string, options?: StreamRange): Promise<StreamSlice>;
  readAll(options: {
    readonly after: Position | null;
    readonly limit: number;
    readonly filter?: EventFilter;
    /** Does not read payloads; every payload is null. Default: false. */
    readonly envelopesOnly?: boolean;
  }): Promise<AllSlice>;
  /** Returns the position of the newest event, or null for an empty log. */
  head(): Promise<Position | null>;
  /** As `head`, or the newest position that this process knows while the log cannot be reached. */
  knownHead(): Promise<Position | null>;
  /** Only of an engine outside of the process: for how many milliseconds it has been away, and why. Null: it answers. */
  outage?(): { readonly lasts: number; readonly reason: string } | null;
  /**
   * Yields the events after a position, later ones included, in order and without gaps, in non-empty batches. Ends when the
   * signal aborts. @throws Error when the store is closed or lost
   */
  subscribe(options: {
    readonly after: Position | null;
    readonly filter?: EventFilter;
    /** As in `readAll`. */
    readonly envelopesOnly?: boolean;
    readonly signal: AbortSignal;
    /** Limit of the events in one batch. Default: 512. */
    readonly batch?: number;
  }): AsyncIterable<AllSlice>;
  /**
   * Removes every payload and snapshot of the stream; envelopes stay. Payloads and snapshots that are written later, e.g. by
   * a stage that was still running, are dropped.
   */
  erase(stream: string): Promise<void>;
  /**
   * Only of an engine with tools that remove streams. Such a stream counts as erased: its events are gone, its payloads are
   * destroyed here, and what is appended to it later follows at higher revisions. Yields what was removed after a position,
   * later removals included. Ends when the signal aborts. @throws Error when the store is closed or lost
   */
  removals?(options: { readonly after: Position | null; readonly signal: AbortSignal }): AsyncIterable<Removals>;
  /** Returns a negative number if a is before b. @throws RangeError for text that is not a position of this store */
  compare(a: Position, b: Position): number;
  /** Parses text that a caller sent. Returns null if it is not a position of this store. */
  parsePosition(text: string): Position | null;
  /**
   * Whether the log holds the event of a position. False: the log is another one, or an older copy, or the text is no position.
   * An event that the engine has removed since counts as held.
   */
  holds(position: Position): Promise<boolean>;
  /**
   * Only of an engine whose log may be replaced while it is open. Resolves with the reason when it no longer holds the last
   * event that this client has seen; subscriptions reject with it.
   */
  readonly replaced?: Promise<Error>;
  /** Saves a snapshot, unless there is a newer one of this name or the stream is erased. */
  saveSnapshot(stream: string, revision: number, name: string, state: JsonObject): Promise<void>;
  loadSnapshot(stream: string, name: string): Promise<{ readonly revision: number; readonly state: JsonObject } | null>;
  close(): Promise<void>;
}
