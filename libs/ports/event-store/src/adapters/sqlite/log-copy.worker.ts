/** Reads a copied log in a thread of its own: its streams are read whole, one after the other. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { JsonObject } from '#platform/kernel';
import { translateSqliteError, translatingCalls } from '#platform/sqlite';
import { serve, serveError } from '#platform/thread-calls';
import type { EventRef } from '../../positions.ts';
import { SqliteLog } from './log.ts';
import { openEventsDatabase } from './schema.ts';
import { Statements } from './statements.ts';

/** An event of a copied log. */
export interface CopiedPayload {
  readonly type: string;
  readonly payload: JsonObject;
}

export interface LogCopyApi {
  /** `newest`: the newest event; null: empty log. */
  identity(): { readonly storeId: string; readonly newest: EventRef | null };
  areLive(streams: readonly string[]): boolean[];
  fieldsOf(streams: readonly string[], field: string): (readonly string[] | null)[];
  liveStreams(after: string | null, limit: number): string[];
  payloadsOf(stream: string): CopiedPayload[];
  close(): void;
}

const NEXT_LIVE = 'SELECT name FROM streams WHERE no > ? AND erased = 0 ORDER BY no LIMIT ?';
const PAYLOADS = `
  SELECT type, payload FROM events JOIN streams ON events.stream = streams.no
  WHERE name = ? AND payload IS NOT NULL ORDER BY events.revision`;
const LIVE = 'SELECT no FROM streams WHERE name = ? AND erased = 0';

function serveCopy(port: MessagePort, path: string): void {
  const db = openEventsDatabase(path);
  const log = new SqliteLog(db);
  const statements = new Statements(db);
  const api: LogCopyApi = {
    identity: () => ({ storeId: log.storeId, newest: log.eventAt(log.head()) }),
    areLive: (streams) => streams.map((stream) => statements.number(LIVE, [stream]) !== undefined),
    fieldsOf: (streams, field) => {
      // In JSON a quote inside a text is escaped, so no text of a caller looks like this.
      const values = new RegExp(`(?<!\\\\)"${field}":"([^"\\\\]*)"`, 'g');
      return streams.map((stream) => {
        const no = statements.number(LIVE, [stream]);
        if (no === undefined) return null;
        const payloads = statements.rows('SELECT payload FROM events WHERE stream = ? AND payload IS NOT NULL', [no]);
        return payloads.flatMap((payload) => [...String(payload).matchAll(values)].map(([, value]) => value as string));
      });
    },
    liveStreams: (after, limit) => {
      const no = after === null ? 0 : statements.number('SELECT no FROM streams WHERE name = ?', [after]);
      return statements.rows(NEXT_LIVE, [no ?? 0, limit]).map(String);
    },
    payloadsOf: (stream) => {
      const found = db.prepare(PAYLOADS).all(stream) as unknown as { type: string; payload: string }[];
      return found.map(({ type, payload }) => ({ type, payload: JSON.parse(payload) as JsonObject }));
    },
    close: () => log.close(),
  };
  serve<LogCopyApi>(port, translatingCalls(api));
}

const port = parentPort as MessagePort;
try {
  serveCopy(port, workerData as string);
} catch (error) {
  serveError(port, translateSqliteError(error));
}
