import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Mneme, OWNER_KEY } from '../../support/mneme.ts';
import type { FromFollowers } from '../followers.child.ts';
import type { Bench, BenchOptions, Outcome } from '../support/bench.ts';
import { megabytes, milliseconds, percentile } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

const STREAMS = 1_000;
const WARMUP = 100;
const TARGET = 2;
const CHILD = new URL('../followers.child.ts', import.meta.url);

/** Adds one after the other, without and with many event streams that get all events of them. */
export const streams: Bench = {
  name: 'streams',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const adds = quick ? 100 : 500;
    const count = quick ? 100 : STREAMS;
    const mneme = await Mneme.start({ env: { MNEME_MAX_STREAMS: String(STREAMS) } });
    let followers: ChildProcess | null = null;
    try {
      await addAll(mneme, 0, WARMUP);
      progress(`${adds} adds without event streams`);
      const without = await addAll(mneme, WARMUP, adds);
      followers = fork(CHILD, [`${mneme.url}/v3/events`, OWNER_KEY, String(count)]);
      await once(followers, 'message');
      progress(`${adds} adds with ${count} event streams`);
      const withStreams = await addAll(mneme, WARMUP + adds, adds);
      followers.send('bytes');
      const [{ bytes, ended }] = (await once(followers, 'message')) as [Exclude<FromFollowers, string>];
      if (ended > 0) throw new Error(`${ended} event streams have ended`);
      const [p50, p50With] = [percentile(without, 0.5), percentile(withStreams, 0.5)];
      return {
        rows: [
          {
            what: `adds one after the other, with ${count} event streams compared with none`,
            measured: `p50 ${milliseconds(p50With)} and ${milliseconds(p50)}, p99 ${milliseconds(percentile(withStreams, 0.99))}; ${megabytes(bytes)} of events sent`,
            target: `p50 ≤ ${TARGET} times`,
            met: p50With <= TARGET * p50,
          },
        ],
        raw: { without, withStreams, bytes },
      };
    } finally {
      followers?.disconnect();
      await mneme.stop();
    }
  },
};

/** Returns the latencies in milliseconds. */
async function addAll(mneme: Mneme, first: number, count: number): Promise<readonly number[]> {
  const latencies: number[] = [];
  for (let i = first; i < first + count; i += 1) {
    const begun = performance.now();
    await mneme.add(sentence(i));
    latencies.push(performance.now() - begun);
  }
  return latencies;
}
