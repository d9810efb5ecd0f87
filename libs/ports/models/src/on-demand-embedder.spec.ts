import { until } from '../../../platform/kernel/src/testing/eventually.ts';
import { EmbedderOff } from './embedder-off.ts';
import { OnDemandEmbedder } from './on-demand-embedder.ts';
import type { ModelStatus } from './port.ts';

const READY: ModelStatus = { state: 'ready', space: { name: 'x.2.1', dimensions: 1 } };

/** A model whose status a test sets. */
class Model extends EmbedderOff {
  closed = false;
  #now: ModelStatus = { state: 'loading' };
  readonly #own = new Set<(status: ModelStatus) => void>();

  override status = () => this.#now;
  override onStatus = (listener?: (status: ModelStatus) => void) => {
    if (listener) this.#own.add(listener);
    return () => {};
  };

  become(status: ModelStatus): void {
    this.#now = status;
    for (const listener of this.#own) listener(status);
  }

  override embedQuestion(): Promise<Float32Array> {
    return this.#now.state === 'ready' ? Promise.resolve(Float32Array.of(1)) : super.embedQuestion();
  }

  override embedPassages(): Promise<never> {
    return (
      this.#now.state === 'ready' ? Promise.resolve([Float32Array.of(1)]) : super.embedPassages()
    ) as Promise<never>;
  }

  override async close(): Promise<void> {
    this.closed = true;
  }
}

let started: Model[];
const begin = () => {
  const model = new Model();
  started.push(model);
  return model;
};
beforeEach(() => {
  started = [];
});

it('loads the model with the first call, and once', async () => {
  const embedder = new OnDemandEmbedder(begin);
  const states: string[] = [];
  embedder.onStatus(({ state }) => states.push(state));
  expect([embedder.status().state, started.length]).toEqual(['idle', 0]);
  const vectors = [embedder.embedPassages(['a']), embedder.embedPassages(['b'])];
  await new Promise(setImmediate);
  expect([embedder.status().state, started.length]).toEqual(['loading', 1]);
  started[0]?.become({ state: 'fetching', source: 'hub', receivedBytes: 0, totalBytes: 1 });
  started[0]?.become(READY);
  expect(await Promise.all(vectors)).toHaveLength(2);
  expect(states).toEqual(['loading', 'fetching', 'ready']);
  await embedder.close();
  expect(started[0]?.closed).toBe(true);
});

it('rejects passages when no source has the model', async () => {
  const embedder = new OnDemandEmbedder(begin);
  const vectors = embedder.embedPassages(['a']);
  await new Promise(setImmediate);
  started[0]?.become({ state: 'unavailable', reason: 'no source' });
  await expect(vectors).rejects.toMatchObject({ code: 'model_unavailable' });
  await embedder.close();
});

it('has a question wait for the model to load, but not for a download', async () => {
  const embedder = new OnDemandEmbedder(begin, { questionWaitsMs: 60_000 });
  const first = embedder.embedQuestion('a');
  await new Promise(setImmediate);
  started[0]?.become({ state: 'fetching', source: 'hub', receivedBytes: 0, totalBytes: 1 });
  await expect(first).rejects.toMatchObject({ code: 'model_unavailable' });
  started[0]?.become({ state: 'loading' });
  const second = embedder.embedQuestion('a');
  await new Promise(setImmediate);
  started[0]?.become(READY);
  expect(await second).toEqual(Float32Array.of(1));
  await embedder.close();
});

it('unloads the model without a call for a while, and loads it again', async () => {
  const embedder = new OnDemandEmbedder(begin, { idleMs: 1 });
  const use = async (model: number) => {
    const vector = embedder.embedQuestion('a');
    await new Promise(setImmediate);
    started[model]?.become(READY);
    await vector;
  };
  await use(0);
  await until(
    () => embedder.status(),
    ({ state }) => state === 'idle',
  );
  expect(started[0]?.closed).toBe(true);
  await use(1);
  expect(started).toHaveLength(2);
  await embedder.close();
});

it('embeds no passage while what comes before the first one fails', async () => {
  let fails = true;
  const beforeFirst = async () => {
    if (fails) throw new Error('the log is away');
  };
  const embedder = new OnDemandEmbedder(begin, { beforeFirst });
  const vectors = embedder.embedPassages(['a']);
  await new Promise(setImmediate);
  started[0]?.become(READY);
  await expect(vectors).rejects.toThrow('the log is away');
  fails = false;
  expect(await embedder.embedPassages(['a'])).toHaveLength(1);
  await embedder.close();
});
