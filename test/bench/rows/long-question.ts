import { Agent } from 'node:http';
import { Mneme } from '../../support/mneme.ts';
import type { Bench, BenchOptions, Outcome } from '../support/bench.ts';
import { modelReady } from '../support/documents.ts';
import { findModel } from '../support/model.ts';
import { postOn } from '../support/post.ts';
import { milliseconds, percentile } from '../support/statistics.ts';

const RUNS = 20;
const CHARACTERS = 100_000;
const TARGET_MS = 300;
const TAG = 'long questions';

/** Questions of 100,000 characters, each another one, with the model. */
export const longQuestion: Bench = {
  name: 'long-question',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const model = await findModel();
    const mneme = await Mneme.start({ env: { MNEME_EMBEDDING: 'local', MNEME_MODELS: model.folder } });
    const connection = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      await modelReady(mneme);
      await mneme.addAndWait('The cattle came through the broken fence on the eastern bank.', { containerTag: TAG });
      const latencies: number[] = [];
      for (let run = 0; run < (quick ? 3 : RUNS); run++) {
        progress(`question ${run + 1}`);
        const q = `${run} where did the cattle come through the fence of farm w${run} `
          .repeat(2_000)
          .slice(0, CHARACTERS);
        const begun = performance.now();
        await postOn(mneme, connection, '/v4/search', { q, containerTag: TAG });
        latencies.push(performance.now() - begun);
      }
      const [p50, slowest] = [percentile(latencies, 0.5), percentile(latencies, 1)];
      const row = {
        what: 'search over HTTP: a question of 100,000 characters, embedded',
        measured: `p50 ${milliseconds(p50)}, slowest ${milliseconds(slowest)}`,
        target: `≤ ${TARGET_MS} ms`,
        met: slowest <= TARGET_MS,
      };
      return { rows: [row], raw: { p50, slowest, latencies } };
    } finally {
      connection.destroy();
      await mneme.stop();
    }
  },
};
