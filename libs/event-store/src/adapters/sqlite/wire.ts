import type { JsonObject } from '#kernel';
import type { EventEnvelope, EventFilter, ExpectedRevision, Position, RecordedEvent } from '../../port.ts';

/**
 * How events cross threads: flat arrays of primitives, which the structured clone copies several times faster than
 * objects. JSON is written and read on the client's side, so that the store thread only moves text.
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

export interface StreamReply {
  readonly rows: RecordedRows;
  readonly revision: number | 'no-stream';
  readonly erased: boolean;
}

export interface AllReply {
  readonly rows: RecordedRows;
  /** Place up to which the log was looked at; 0: empty log. */
  readonly position: number;
  readonly end: boolean;
}

/** What the store thread does for its clients. Positions are numbers from 1; 0 stands before the first event. */
export interface StoreApi {
  storeId(): string;
  append(stream: string, rows: NewRows, expected: ExpectedRevision, erase: boolean): Promise<AppendReply>;
  readStream(stream: string, from: number, limit: number): StreamReply;
  readAll(after: number, limit: number, filter: EventFilter, envelopesOnly: boolean): AllReply;
  head(): number;
  erase(stream: string): Promise<void>;
  saveSnapshot(stream: string, revision: number, name: string, state: string): Promise<void>;
  loadSnapshot(stream: string, name: string): { readonly revision: number; readonly state: string } | null;
  /** From then on the client gets a notice `HEAD` with the newest position after each commit. */
  watch(): void;
  /** Serves another client; the port moves to the store thread. */
  attach(port: unknown): void;
  /** Commits what waits, empties the write-ahead log and ends the thread. */
  close(): void;
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
  for (let event = 0; event < events.length; event++) events[event] = new StoredEvent(rows, event * RECORDED_WIDTH);
  return events;
}

/** Reads its JSON when it is asked for: many readers look at a fraction of what they are given. */
class StoredEvent implements RecordedEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly #rows: RecordedRows;
  readonly #at: number;
  #envelope: EventEnvelope | undefined;
  #payload: JsonObject | null | undefined;

  constructor(rows: RecordedRows, at: number) {
    this.stream = rows[at + 1] as string;
    this.revision = rows[at + 2] as number;
    this.position = positionOf(rows[at] as number);
    this.#rows = rows;
    this.#at = at;
  }

  get envelope(): EventEnvelope {
    this.#envelope ??= {
      id: this.#rows[this.#at + 3],
      type: this.#rows[this.#at + 4],
      organization: this.#rows[this.#at + 5],
      ...JSON.parse(this.#rows[this.#at + 6] as string),
    } as EventEnvelope;
    return this.#envelope;
  }

  get payload(): JsonObject | null {
    if (this.#payload === undefined) {
      const json = this.#rows[this.#at + 7] as string | null;
      this.#payload = json === null ? null : (JSON.parse(json) as JsonObject);
    }
    return this.#payload;
  }
}

export function positionOf(position: number): Position {
  return String(position) as Position;
}

/** Null: not the one way in which this store writes a place. */
export function numberOf(position: string): number | null {
  if (!/^(0|[1-9]\d{0,15})$/.test(position)) return null;
  const number = Number(position);
  return Number.isSafeInteger(number) ? number : null;
}
