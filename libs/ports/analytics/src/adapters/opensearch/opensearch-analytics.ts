import { Client, errors } from '@opensearch-project/opensearch';
import { mnemeError } from '#platform/kernel';
import type { Period } from '../../period.ts';
import type { AnalyticsStore, PeriodQuery, RequestFilter, RequestPage, Retention } from '../../port.ts';
import type { LoggedRequest } from '../../request.ts';
import { MOST_LISTED, PERIODS, REQUESTS } from './mappings.ts';

/** OpenSearch does not answer, or refuses what concerns figures of requests. */
class AnalyticsUnreachableError extends mnemeError('transient', 'analytics_unreachable') {}

const TIMEOUT_MS = 15_000;
const PAGE = 1_000;

export interface OpenSearchAnalyticsOptions {
  readonly url: string;
  /** First part of the names of the indices. */
  readonly prefix: string;
  /** Of indices that are created. */
  readonly shards: number;
  /** Copies of each shard, beside the first. */
  readonly replicas: number;
}

interface Answer<Source> {
  readonly hits: {
    readonly total: { readonly value: number };
    readonly hits: readonly { readonly _source: Source; readonly sort: readonly (string | number)[] }[];
  };
  readonly aggregations?: { readonly at: { readonly values: Readonly<Record<string, number | null>> } };
}

/** Figures in two indices, which all processes write and read. A document that is written again replaces itself. */
export class OpenSearchAnalytics implements AnalyticsStore {
  readonly requestBytes = 220;
  readonly #client: Client;
  readonly #requests: string;
  readonly #periods: string;
  readonly #layout: object;
  #isPrepared = false;

  /** Connects with the first call, so that a server starts while OpenSearch does not answer. */
  constructor({ url, prefix, shards, replicas }: OpenSearchAnalyticsOptions) {
    const nodes = url.split(',').map((node) => node.trim());
    this.#client = new Client({ nodes, maxRetries: 1, requestTimeout: TIMEOUT_MS });
    this.#requests = `${prefix}-analytics-requests`;
    this.#periods = `${prefix}-analytics-periods`;
    this.#layout = { number_of_shards: shards, number_of_replicas: replicas };
  }

  async write(requests: readonly LoggedRequest[], periods: readonly Period[]): Promise<void> {
    const lines = [
      ...requests.flatMap((one) => [{ index: { _index: this.#requests, _id: one.id } }, one]),
      ...periods.flatMap((one) => [{ index: { _index: this.#periods, _id: one.id } }, periodSource(one)]),
    ];
    const bulkBody = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    if (!this.#isPrepared) await this.#prepare();
    const answer = await this.#call<{ errors: boolean }>('POST', '/_bulk', { bulkBody });
    if (answer.errors) throw new AnalyticsUnreachableError('OpenSearch has not stored all figures of requests');
  }

  /** Indices that a write creates, also after an operator has deleted them, take their mappings from templates. */
  async #prepare(): Promise<void> {
    for (const [index, { mappings, settings }] of [
      [this.#requests, REQUESTS],
      [this.#periods, PERIODS],
    ] as const) {
      const template = { mappings, settings: { ...this.#layout, ...settings } };
      await this.#call('PUT', `/_index_template/${index}`, { body: { index_patterns: [index], template } });
    }
    this.#isPrepared = true;
  }

  async periods(organization: string, queries: readonly PeriodQuery[]): Promise<readonly Period[]> {
    const wanted = queries.map(({ grain, from, to }) => ({
      bool: { filter: [{ term: { grain } }, { range: { at: { gte: from, lt: to } } }] },
    }));
    const query = { bool: { filter: [{ term: { organization } }], should: wanted, minimum_should_match: 1 } };
    const found: Period[] = [];
    for (let after: readonly (string | number)[] | undefined; ; ) {
      const paging = { size: PAGE, sort: [{ at: 'asc' }, { id: 'asc' }], ...(after && { search_after: after }) };
      const { hits } = (await this.#search<{ period: Period }>(this.#periods, { query, ...paging })).hits;
      found.push(...hits.map(({ _source }) => _source.period));
      if (hits.length < PAGE) return found;
      after = hits.at(-1)?.sort;
    }
  }

  async requests(organization: string, filter: RequestFilter, { offset, limit }: RequestPage) {
    const { from, to, type, status, keyId } = filter;
    const terms = Object.entries({ organization, type, status, keyId }).filter(([, value]) => value !== undefined);
    const range = { range: { at: { gte: from, lt: to } } };
    const answer = await this.#search<LoggedRequest>(this.#requests, {
      query: { bool: { filter: [...terms.map(([field, value]) => ({ term: { [field]: value } })), range] } },
      sort: [{ at: 'desc' }, { id: 'desc' }],
      track_total_hits: true,
      ...(offset + limit <= MOST_LISTED ? { from: offset, size: limit } : { size: 0 }),
    });
    return { requests: answer.hits.hits.map(({ _source }) => _source), total: answer.hits.total.value };
  }

  async retain({ since, requests: most }: Retention): Promise<void> {
    const before = (at: number) => ({ range: { at: { lt: at } } });
    await this.#remove(this.#periods, before(since));
    const { hits } = await this.#search(this.#requests, { size: 0, track_total_hits: true });
    const total = hits.total.value;
    const percent = Math.min(100, (100 * (total - most)) / Math.max(1, total));
    const cut = percent <= 0 ? null : await this.#atPercent(percent);
    await this.#remove(this.#requests, before(Math.max(since, cut ?? 0)));
  }

  /** When the request was answered before which a part of all were, about. */
  async #atPercent(percent: number): Promise<number | null> {
    const aggs = { at: { percentiles: { field: 'at', percents: [percent], keyed: true } } };
    const { aggregations } = await this.#search(this.#requests, { size: 0, aggs });
    return Object.values(aggregations?.at.values ?? {}).find((value) => typeof value === 'number') ?? null;
  }

  async forget(organization: string): Promise<void> {
    for (const index of [this.#requests, this.#periods]) await this.#remove(index, { term: { organization } });
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** Other processes may remove the same. */
  async #remove(index: string, query: object): Promise<void> {
    const querystring = { ignore_unavailable: true, conflicts: 'proceed', refresh: true };
    await this.#call('POST', `/${index}/_refresh`, { querystring: { ignore_unavailable: true } });
    await this.#call('POST', `/${index}/_delete_by_query`, { body: { query }, querystring });
  }

  /** An index that is not there yet is empty. */
  #search<Source = unknown>(index: string, body: object): Promise<Answer<Source>> {
    const querystring = { ignore_unavailable: true, allow_partial_search_results: false };
    return this.#call('POST', `/${index}/_search`, { body, querystring });
  }

  async #call<T>(method: string, path: string, content: object): Promise<T> {
    try {
      return (await this.#client.transport.request({ method, path, ...content })).body as T;
    } catch (error) {
      if (!(error instanceof errors.OpenSearchClientError)) throw error;
      throw new AnalyticsUnreachableError(`OpenSearch and the figures of requests: ${error.message}`, { cause: error });
    }
  }
}

const periodSource = (period: Period) => {
  const { id, organization, grain, at } = period;
  return { id, organization, grain, at, period };
};
