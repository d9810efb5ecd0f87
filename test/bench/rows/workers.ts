import { setTimeout as pause } from 'node:timers/promises';
import { OWNER_KEY } from '../../support/mneme.ts';
import type { BenchOptions, EngineBench, Outcome } from '../support/bench.ts';
import { countDone } from '../support/documents.ts';
import { type Cluster, type Engines, startCluster } from '../support/engines.ts';
import { load } from '../support/load.ts';
import { median, whole } from '../support/statistics.ts';

const CONNECTIONS = 32;
/** Documents before each measurement, to warm up code and connections of every process. */
const WARM_UP_DOCUMENTS = 640;
const LOOK_EVERY_MS = 50;
const TIMEOUT_MS = 300_000;
const SHARE = 0.9;

/** Documents per second with one and with two workers, from the first add to the last one done. */
export const workers: EngineBench = {
  name: 'workers',
  async run({ quick, progress }: BenchOptions, engines: Engines): Promise<Outcome> {
    const [documents, turns] = quick ? [640, 1] : [4_000, 5];
    const rates: Record<1 | 2, number[]> = { 1: [], 2: [] };
    const shares: number[] = [];
    for (let turn = 0; turn < turns; turn++) {
      // The order alternates to cancel drift of the machine.
      for (const number of turn % 2 === 0 ? ([1, 2] as const) : ([2, 1] as const)) {
        const rate = await rateOf(engines, number, documents);
        rates[number].push(rate);
        progress(`${number} workers, turn ${turn + 1} of ${turns}: ${whole(rate)}/s`);
      }
      shares.push((rates[2][turn] as number) / (rates[1][turn] as number));
    }
    const [one, two] = [median(rates[1]), median(rates[2])];
    // One ratio per turn, because the drift is slower than a turn.
    const share = median(shares);
    const of = turns === 1 ? '' : `, medians of ${turns} turns`;
    return {
      rows: [
        {
          what:
            `documents to done on distributed engines, embedding off, 1 api process and 1 or 2 workers, ` +
            `${CONNECTIONS} connections, ${whole(documents)} documents of a sentence${of}`,
          measured: `${whole(one)}/s and ${whole(two)}/s: two are ${share.toFixed(2)} × one`,
          target: `two ≥ ${SHARE} × one`,
          met: share >= SHARE,
        },
      ],
      raw: { documents, rates, shares },
    };
  },
};

async function rateOf(engines: Engines, number: number, documents: number): Promise<number> {
  const cluster = await startCluster(engines, number);
  try {
    await addAll(cluster, 0, WARM_UP_DOCUMENTS);
    const begun = await addAll(cluster, WARM_UP_DOCUMENTS, documents);
    return documents / ((performance.now() - begun) / 1_000);
  } finally {
    await cluster.stop();
  }
}

/**
 * Adds documents and waits until all are done.
 * @param before documents that are done already
 * @returns time of the first add
 */
async function addAll({ api }: Cluster, before: number, documents: number): Promise<number> {
  let begun = 0;
  const { answered } = await load(
    {
      url: `${api.url}/v3/documents`,
      key: OWNER_KEY,
      connections: CONNECTIONS,
      firstSentence: before,
      length: { requests: documents },
    },
    () => {
      begun = performance.now();
    },
  );
  if (answered !== documents) throw new Error(`${answered} of ${documents} adds were accepted`);
  while ((await countDone(api)) < before + documents) {
    if (performance.now() - begun > TIMEOUT_MS) throw new Error(`The documents were not done within ${TIMEOUT_MS} ms`);
    await pause(LOOK_EVERY_MS);
  }
  return begun;
}
