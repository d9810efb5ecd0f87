import { isTransient } from '#platform/kernel';
import { RestartableThread, startThread } from '#platform/thread-calls';
import type { Period } from '../../period.ts';
import type { AnalyticsStore, PeriodQuery, RequestFilter, RequestPage, Retention } from '../../port.ts';
import type { LoggedRequest } from '../../request.ts';
import type { AnalyticsApi } from './analytics.worker.ts';

/** Figures in one SQLite file, of one process, in a thread of its own. */
export class SqliteAnalytics implements AnalyticsStore {
  readonly requestBytes = 220;
  readonly #thread: RestartableThread<AnalyticsApi>;

  /** @throws Error if the file is damaged. One that cannot be opened now, as on a full disk, is opened by a later call. */
  static async open(path: string): Promise<SqliteAnalytics> {
    const store = new SqliteAnalytics(path);
    await store.#thread.remote().catch((error) => {
      if (!isTransient(error)) throw error;
    });
    return store;
  }

  private constructor(path: string) {
    this.#thread = new RestartableThread(() =>
      startThread(new URL('./analytics.worker.ts', import.meta.url), path, (remote) => remote.call('ready')),
    );
  }

  async write(requests: readonly LoggedRequest[], periods: readonly Period[]): Promise<void> {
    const rows = periods.map((period) => {
      const { id, organization, grain, at } = period;
      return { id, organization, grain, at, figures: JSON.stringify(period) };
    });
    // JSON costs less than a copy of each object.
    const json = JSON.stringify(requests);
    await (await this.#thread.remote()).call('write', json, rows);
  }

  async periods(organization: string, queries: readonly PeriodQuery[]): Promise<readonly Period[]> {
    const found = await (await this.#thread.remote()).call('periods', organization, queries);
    return found.map((figures) => JSON.parse(figures) as Period);
  }

  async requests(organization: string, filter: RequestFilter, page: RequestPage) {
    return (await this.#thread.remote()).call('requests', organization, filter, page);
  }

  async retain(retention: Retention): Promise<void> {
    await (await this.#thread.remote()).call('retain', retention);
  }

  async forget(organization: string): Promise<void> {
    await (await this.#thread.remote()).call('forget', organization);
  }

  close(): Promise<void> {
    return this.#thread.close((remote) => remote.call('close'));
  }
}
