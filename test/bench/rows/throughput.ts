import { setTimeout as pause } from 'node:timers/promises';
import { Mneme, OWNER_KEY } from '../../support/mneme.ts';
import type { Bench, BenchOptions, Outcome } from '../support/bench.ts';
import { countDone } from '../support/documents.ts';
import { load } from '../support/load.ts';
import { seconds, whole } from '../support/statistics.ts';

const CONNECTIONS = 32;
const TARGET_PER_SECOND = 1_000;
const LOOK_EVERY_MS = 50;
const TIMEOUT_MS = 300_000;

/** Documents per second from the first add to the last one done, on a new server without warm-up. */
export const throughput: Bench = {
  name: 'throughput',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const documents = quick ? 2_000 : 10_000;
    progress(`${whole(documents)} documents`);
    const mneme = await Mneme.start();
    try {
      let begun = 0;
      const added = await load(
        {
          url: `${mneme.url}/v3/documents`,
          key: OWNER_KEY,
          connections: CONNECTIONS,
          firstSentence: 0,
          length: { requests: documents },
        },
        () => {
          begun = performance.now();
        },
      );
      if (added.answered !== documents) throw new Error(`${added.answered} of ${documents} adds were accepted`);
      while ((await countDone(mneme)) < documents) {
        if (performance.now() - begun > TIMEOUT_MS)
          throw new Error(`The documents were not done within ${TIMEOUT_MS} ms`);
        await pause(LOOK_EVERY_MS);
      }
      const took = (performance.now() - begun) / 1_000;
      const rate = documents / took;
      return {
        rows: [
          {
            what: `documents to done, embedding off, ${whole(documents)} documents of a sentence, fresh server`,
            measured: `${whole(rate)}/s: added in ${seconds(added.seconds)}, done after ${seconds(took)}`,
            target: `≥ ${whole(TARGET_PER_SECOND)}/s`,
            met: rate >= TARGET_PER_SECOND,
          },
        ],
        raw: { documents, rate, addedSeconds: added.seconds, doneSeconds: took },
      };
    } finally {
      await mneme.stop();
    }
  },
};
