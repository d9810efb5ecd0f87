/** Owns the database, so that neither a write nor a question waits on the thread that serves requests. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { translatingCalls, translatingDamage } from '#platform/sqlite';
import { serve, serveError } from '#platform/thread-calls';
import type { AnalyticsStore, PeriodQuery, RequestFilter, RequestPage } from '../../port.ts';
import type { LoggedRequest } from '../../request.ts';
import { openAnalyticsDatabase } from './schema.ts';
import { type PeriodRow, tablesIn } from './tables.ts';

export interface AnalyticsApi {
  ready(): void;
  /** @param requests JSON */
  write(requests: string, periods: readonly PeriodRow[]): void;
  /** The JSON of periods. */
  periods(organization: string, queries: readonly PeriodQuery[]): readonly string[];
  requests(
    organization: string,
    filter: RequestFilter,
    page: RequestPage,
  ): { readonly requests: readonly LoggedRequest[]; readonly total: number };
  retain: AnalyticsStore['retain'];
  forget(organization: string): void;
  close(): void;
}

const port = parentPort as MessagePort;
const path = workerData as string;
const translate = translatingDamage(path, 'Delete it while no server runs: only figures of requests are lost.');

try {
  const db = openAnalyticsDatabase(path);
  const tables = tablesIn(db);
  const api: AnalyticsApi = {
    ...tables,
    ready: () => {},
    write: (requests, periods) => tables.write(JSON.parse(requests), periods),
    close: () => db.close(),
  };
  serve<AnalyticsApi>(port, translatingCalls(api, translate));
} catch (error) {
  serveError(port, translate(error));
}
