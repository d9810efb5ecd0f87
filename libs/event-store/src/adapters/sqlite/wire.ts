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
  for (let event = 0, at = 0; event < events.length; event++, at += RECORDED_WIDTH) {
    const payload = rows[at + 7] as string | null;
    events[event] = {
      stream: rows[at + 1] as string,
      revision: rows[at + 2] as number,
      position: positionOf(rows[at] as number),
      envelope: {
        id: rows[at + 3] as string,
        type: rows[at + 4] as string,
        organization: rows[at + 5],
        ...JSON.parse(rows[at + 6] as string),
      } as EventEnvelope,
      payload: payload === null ? null : (JSON.parse(payload) as JsonObject),
    };
  }
  return events;
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
