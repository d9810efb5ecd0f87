import { TokenCounters } from '#platform/tokens';
import type { Bench, BenchOptions, Outcome } from '../support/bench.ts';
import { milliseconds, percentile } from '../support/statistics.ts';

const LETTERS = 200_000;
const TARGET_MS = 100;
const TIMES = 10;

/** Counting of tokens by o200k where it is slowest: a run without a break. */
export const tokens: Bench = {
  name: 'tokens',
  async run(_: BenchOptions): Promise<Outcome> {
    const counters = new TokenCounters(console);
    const count = counters.of('o200k');
    const timed = async (text: string) => {
      const begun = performance.now();
      await count([text]);
      return performance.now() - begun;
    };
    try {
      const first = await timed('The first count starts the thread.');
      const latencies: number[] = [];
      for (let i = 0; i < TIMES; i += 1) latencies.push(await timed('a'.repeat(LETTERS)));
      const [p50, slowest] = [percentile(latencies, 0.5), Math.max(...latencies)];
      return {
        rows: [
          {
            what: 'tokens of 200,000 equal letters by o200k',
            measured: `p50 ${milliseconds(p50)}, slowest ${milliseconds(slowest)}; the first count, which reads the table: ${milliseconds(first)}`,
            target: `≤ ${TARGET_MS} ms`,
            met: p50 <= TARGET_MS,
          },
        ],
        raw: { first, latencies },
      };
    } finally {
      await counters.close();
    }
  },
};
