import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inTransaction } from '#platform/sqlite';
import { HOUR_MS, type Period } from '../../period.ts';
import type { PeriodQuery, RequestFilter, RequestPage, Retention } from '../../port.ts';
import type { LoggedRequest } from '../../request.ts';

export interface PeriodRow extends Pick<Period, 'id' | 'organization' | 'grain' | 'at'> {
  /** JSON of the period. */
  readonly figures: string;
}

/** Requests that one transaction removes, so that others do not wait long. */
const REMOVED_AT_ONCE = 10_000;

const COLUMNS = 'organization, at, type, status, key_id, id, method, route, code, milliseconds, bytes_in, bytes_out';

const LISTED = `organization, at, type, status, key_id AS keyId, id, method, route, code, milliseconds,
  bytes_in AS bytesIn, bytes_out AS bytesOut`;

/** The rows of the database of figures. */
export function tablesIn(db: DatabaseSync) {
  const insertRequest = db.prepare(`INSERT INTO requests (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const addCount = db.prepare(
    `INSERT INTO request_counts VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET requests = requests + excluded.requests`,
  );
  const putPeriod = db.prepare('INSERT OR REPLACE INTO periods VALUES (?, ?, ?, ?, ?)');
  const selectPeriods = db.prepare(
    'SELECT figures FROM periods WHERE organization = ? AND grain = ? AND at >= ? AND at < ?',
  );

  function write(requests: readonly LoggedRequest[], periods: readonly PeriodRow[]): void {
    inTransaction(db, () => {
      const counts = new Map<string, [string, number, string, number, string, number]>();
      for (const one of requests) {
        const { organization, at, type, status, keyId, id, method, route, code, milliseconds, bytesIn, bytesOut } = one;
        insertRequest.run(
          ...([organization, at, type, status, keyId, id, method, route, code] as const),
          ...([milliseconds, bytesIn, bytesOut] as const),
        );
        const hour = at - (at % HOUR_MS);
        const name = `${organization} ${hour} ${type} ${status} ${keyId}`;
        const count = counts.get(name);
        if (count === undefined) counts.set(name, [organization, hour, type, status, keyId, 1]);
        else count[5] += 1;
      }
      for (const count of counts.values()) addCount.run(...count);
      for (const { id, organization, grain, at, figures } of periods)
        putPeriod.run(id, organization, grain, at, figures);
    });
  }

  function periods(organization: string, queries: readonly PeriodQuery[]): readonly string[] {
    return queries.flatMap(({ grain, from, to }) =>
      selectPeriods.all(organization, grain, from, to).map(({ figures }) => figures as string),
    );
  }

  /** Leaves out hours without such requests, and those before the page, by their counts. */
  function requests(organization: string, filter: RequestFilter, { offset, limit }: RequestPage) {
    const { from, to, type = null, status = null, keyId = null } = filter;
    const which = { $organization: organization, $type: type, $status: status, $keyId: keyId };
    const hours = db
      .prepare(
        `SELECT hour, SUM(requests) AS requests FROM request_counts
         WHERE organization = $organization AND hour >= $from AND hour < $to AND ${MATCHES}
         GROUP BY hour HAVING SUM(requests) > 0 ORDER BY hour DESC`,
      )
      .all({ ...which, $from: from, $to: to }) as { hour: number; requests: number }[];
    const inHour = db.prepare(
      `SELECT ${LISTED} FROM requests
       WHERE organization = $organization AND at >= $from AND at < $to AND ${MATCHES}
       ORDER BY at DESC, rowid DESC LIMIT $limit OFFSET $offset`,
    );
    const found: LoggedRequest[] = [];
    let [total, skipped] = [0, 0];
    for (const { hour, requests } of hours) {
      total += requests;
      if (found.length === limit) continue;
      const before = Math.min(requests, offset - skipped);
      skipped += before;
      if (before === requests) continue;
      const page = { $limit: limit - found.length, $offset: before };
      const rows = inHour.all({ ...which, $from: hour, $to: hour + HOUR_MS, ...page });
      found.push(...(rows.map((row) => ({ ...row })) as unknown as LoggedRequest[]));
    }
    return { requests: found, total };
  }

  async function retain({ since, requests: most }: Retention): Promise<void> {
    db.prepare('DELETE FROM periods WHERE at < ?').run(since);
    for (;;) {
      const { first, last } = db
        .prepare('SELECT MIN(rowid) AS first, MAX(rowid) AS last FROM requests')
        .get() as unknown as Rows;
      if (first === null || last === null) return;
      // Rows are numbered in the order in which they came, and the oldest are removed first.
      const slice = first + REMOVED_AT_ONCE;
      const removed = removeRequests(`rowid < ${slice} AND (rowid <= ${last - most} OR at < ${since})`);
      if (removed === 0) return;
      await nextTurn();
    }
  }

  /** @returns how many there were */
  function removeRequests(which: string): number {
    return inTransaction(db, () => {
      const counted = db
        .prepare(
          `SELECT organization, at - at % ${HOUR_MS} AS hour, type, status, key_id, -COUNT(*) AS requests
           FROM requests WHERE ${which} GROUP BY 1, 2, 3, 4, 5`,
        )
        .all();
      for (const row of counted) addCount.run(...(Object.values(row) as SQLInputValue[]));
      db.exec('DELETE FROM request_counts WHERE requests <= 0');
      return Number(db.prepare(`DELETE FROM requests WHERE ${which}`).run().changes);
    });
  }

  function forget(organization: string): void {
    inTransaction(db, () => {
      for (const table of ['requests', 'request_counts', 'periods']) {
        db.prepare(`DELETE FROM ${table} WHERE organization = ?`).run(organization);
      }
    });
  }

  return { write, periods, requests, retain, forget };
}

interface Rows {
  readonly first: number | null;
  readonly last: number | null;
}

const MATCHES = `($type IS NULL OR type = $type) AND ($status IS NULL OR status = $status)
  AND ($keyId IS NULL OR key_id = $keyId)`;
