import type { JsonObject } from '#platform/kernel';
import type { CopyApi } from '#platform/sqlite';
import { LazyEvent } from '../../lazy-event.ts';
import type { EventEnvelope, EventFilter, ExpectedRevision, RecordedEvent } from '../../port.ts';
import { type EventRef, positionOf } from '../../positions.ts';

/**
 * Events cross threads as flat arrays of primitives, which the structured clone copies several times faster than objects.
 * JSON is serialized and parsed on the client's side, so that the store thread only moves text.
 */
type Primitive = string | number | null;

/** Per event: id, type, organization, rest of the envelope as JSON, payload as JSON or null. */
export type NewRows = readonly Primitive[];
/** Per event: position, stream, revision, id, type, organization, rest of the envelope, payload. */
export type RecordedRows = readonly Primitive[];

export const NEW_WIDTH = 5;
export const RECORDED_WIDTH = 8;

export type AppendReply =
  | { readonly revision: number; readonly position: number; readonly erased: boolean }
  | { readonly actual: number | 'no-stream' };

/** One append of several. */
export type NewAppend = readonly [stream: string, rows: NewRows, expected: ExpectedRevision];

/** Appends of a batch that were sent before its last message: their common id and their number. */
export interface EarlierAppends {
  readonly id: number;
  readonly count: number;
  /** Appends of the whole batch that are not to be recorded, by number from 0. */
  readonly without: readonly number[];
}

/** The appends' results in their order, or the streams that are not at the expected revision. */
export type TogetherReply =
  | { readonly appended: readonly Exclude<AppendReply, { readonly actual: unknown }>[] }
  | { readonly conflicts: readonly string[] };

export interface StreamReply {
  readonly rows: RecordedRows;
  readonly revision: number | 'no-stream';
  readonly erased: boolean;
}

export interface AllReply {
  readonly rows: RecordedRows;
  /** The event up to which the log was examined; null: empty log. */
  readonly examined: EventRef | null;
  readonly end: boolean;
}

/** Calls of the store thread. Positions are numbers from 1; 0 is before the first event. */
export interface StoreApi extends CopyApi {
  storeId(): string;
  append(stream: string, rows: NewRows, expected: ExpectedRevision, erase: boolean): Promise<AppendReply>;
  /** The first of many appends. `id`: names them to the `appendTogether` that follows. */
  appendAhead(appends: readonly NewAppend[], id: number): void;
  /**
   * Appends all or, after a conflict, nothing. `ahead`: those sent before come first; null: none. Rejects, with nothing
   * recorded, if some of them did not arrive.
   */
  appendTogether(appends: readonly NewAppend[], ahead: EarlierAppends | null): Promise<TogetherReply>;
  readStream(stream: string, from: number, limit: number): StreamReply;
  readAll(after: number, limit: number, filter: EventFilter, envelopesOnly: boolean): AllReply;
  head(): EventRef | null;
  /** Returns the event at a position. Null: the log has no event there. */
  eventAt(position: number): EventRef | null;
  erase(stream: string): Promise<void>;
  saveSnapshot(stream: string, revision: number, name: string, state: string): Promise<void>;
  loadSnapshot(stream: string, name: string): { readonly revision: number; readonly state: string } | null;
  /** Sends the client a notice `HEAD` with the newest position after each later commit. */
  watch(): void;
  /** Serves another client; the port moves to the store thread. */
  attach(port: unknown): void;
  /** Commits pending writes, truncates the write-ahead log and ends the thread. */
  close(): Promise<void>;
}

export const HEAD = 'head';

export function envelopeColumns(
  envelope: EventEnvelope,
): [id: string, type: string, organization: string, rest: string] {
  const { id, type, organization, ...rest } = envelope;
  return [id, type, organization, JSON.stringify(rest)];
}

export function recordedEvents(rows: RecordedRows): RecordedEvent[] {
  const events = new Array<RecordedEvent>(rows.length / RECORDED_WIDTH);
  for (let event = 0; event < events.length; event++) events[event] = new SqliteEvent(rows, event * RECORDED_WIDTH);
  return events;
}

class SqliteEvent extends LazyEvent {
  readonly #rows: RecordedRows;
  readonly #at: number;

  constructor(rows: RecordedRows, at: number) {
    const position = positionOf({ position: rows[at] as number, id: rows[at + 3] as string });
    super(rows[at + 1] as string, rows[at + 2] as number, position);
    this.#rows = rows;
    this.#at = at;
  }

  protected override parseEnvelope(): EventEnvelope {
    return {
      id: this.#rows[this.#at + 3],
      type: this.#rows[this.#at + 4],
      organization: this.#rows[this.#at + 5],
      ...JSON.parse(this.#rows[this.#at + 6] as string),
    } as EventEnvelope;
  }

  protected override parsePayload(): JsonObject | null {
    const json = this.#rows[this.#at + 7] as string | null;
    return json === null ? null : (JSON.parse(json) as JsonObject);
  }
}
