import { type Metrics, openMetrics, timed } from '#platform/telemetry';

const textOf = async (metrics: Metrics) => (await metrics.render()).text;

test('off: there is no recorder', async () => {
  expect(await openMetrics('off')).toBeNull();
});

describe('on', () => {
  let metrics: Metrics;
  beforeEach(async () => {
    metrics = (await openMetrics('on')) as Metrics;
  });

  test('durations are counted by label', async () => {
    metrics.searched(0.002);
    metrics.embedded('question', 0.004);
    metrics.embedded('passages', 3);
    metrics.documentErased();
    metrics.wrongKeyRepeated();
    const text = await textOf(metrics);
    expect(text).toContain('mneme_search_duration_seconds_sum 0.002');
    expect(text).toContain('mneme_embedding_duration_seconds_count{input="question"} 1');
    expect(text).toContain('mneme_embedding_duration_seconds_sum{input="passages"} 3');
    expect(text).toContain('mneme_documents_erased_total 1');
    expect(text).toContain('mneme_wrong_keys_total 1');
  });

  test('sources are read at each scrape', async () => {
    let waiting = 3;
    metrics.setSources({
      queues: () => (waiting === 0 ? [] : [{ stage: 'embed', waiting, inFlight: 2 }]),
      projectionLagSeconds: async () => 1.5,
    });
    const text = await textOf(metrics);
    expect(text).toContain('mneme_pipeline_documents{stage="embed",state="waiting"} 3');
    expect(text).toContain('mneme_pipeline_documents{stage="embed",state="in_flight"} 2');
    expect(text).toContain('mneme_projection_lag_seconds 1.5');
    waiting = 0;
    expect(await textOf(metrics)).not.toContain('stage="embed"');
  });

  test('an unknown lag is NaN, and the other metrics are answered', async () => {
    metrics.documentErased();
    metrics.setSources({ projectionLagSeconds: () => Promise.reject(new Error('away')) });
    const text = await textOf(metrics);
    expect(text).toMatch(/^mneme_projection_lag_seconds NaN$/im);
    expect(text).toContain('mneme_documents_erased_total 1');
  });
});

class Store {
  readonly #rows: string[] = [];
  get size(): number {
    return this.#rows.length;
  }
  async add(row: string): Promise<number> {
    if (row === '') throw new Error('empty');
    return this.#rows.push(row);
  }
  list(): readonly string[] {
    return this.#rows;
  }
}

describe('timed', () => {
  test('the listener gets time, result and arguments of each call', async () => {
    const calls: unknown[] = [];
    const store = timed(new Store(), { add: (...call) => calls.push(call) });
    expect(await store.add('a')).toBe(1);
    expect(calls).toEqual([[expect.any(Number), 1, 'a']]);
  });

  test('a rejection passes through and is not recorded', async () => {
    const calls: unknown[] = [];
    const store = timed(new Store(), { add: (...call) => calls.push(call) });
    await expect(store.add('')).rejects.toThrow('empty');
    expect(calls).toEqual([]);
  });

  test('other members work as before', async () => {
    const store = timed(new Store(), { add: () => {} });
    await store.add('a');
    expect([store.size, store.list()]).toEqual([1, ['a']]);
  });
});
