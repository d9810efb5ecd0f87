import type { Mneme } from '../../support/mneme.ts';
import { type BenchOptions, type EngineBench, expectStatus, type Outcome } from '../support/bench.ts';
import { type Engines, startCluster } from '../support/engines.ts';
import { milliseconds, percentile } from '../support/statistics.ts';

const WARM_UP = 10;
const TARGET_MS = 1_500;
const TIMEOUT_MS = 60_000;

/** Adds one document after the other and polls the search until it finds each. */
export const addToSearchable: EngineBench = {
  name: 'add-to-searchable',
  async run({ quick, progress }: BenchOptions, engines: Engines): Promise<Outcome> {
    const times = quick ? 10 : 50;
    const cluster = await startCluster(engines, 1);
    try {
      const took: number[] = [];
      for (let i = -WARM_UP; i < times; i++) {
        const each = await untilFound(cluster.api, `wombat${i + WARM_UP}x`);
        if (i >= 0) took.push(each);
      }
      progress(`${times} documents found`);
      const [p50, p95] = [percentile(took, 0.5), percentile(took, 0.95)];
      return {
        rows: [
          {
            what: `one document of a sentence, from the add until the search finds it, distributed engines, embedding off, ${times} times one after the other`,
            measured: `p50 ${milliseconds(p50)}, p95 ${milliseconds(p95)}`,
            target: `p50 ≤ ${TARGET_MS} ms`,
            met: p50 <= TARGET_MS,
          },
        ],
        raw: { took, p50, p95 },
      };
    } finally {
      await cluster.stop();
    }
  },
};

/** @returns milliseconds from sending the add to the search response with the document */
async function untilFound(api: Mneme, word: string): Promise<number> {
  const begun = performance.now();
  await api.add(`The ${word} sleeps under the old bridge.`);
  for (;;) {
    const { status, body } = await api.post<{ results: readonly { memory: string }[] }>('/v4/search', { q: word });
    expectStatus(status, 200, 'a search');
    if (body.results.some(({ memory }) => memory.includes(word))) return performance.now() - begun;
    if (performance.now() - begun > TIMEOUT_MS) throw new Error(`${word} was not found within ${TIMEOUT_MS} ms`);
  }
}
