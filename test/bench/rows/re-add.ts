import { type BenchOptions, expectStatus, type Outcome } from '../support/bench.ts';
import type { Installation, InstallationBench } from '../support/installations.ts';
import { median, milliseconds, percentile } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

const CHARACTERS = 1_000_000;
const TARGET_MS = 10;

/** A long document that is sent again without a change. */
export const reAdd: InstallationBench = {
  name: 're-add',
  async run({ quick, progress }: BenchOptions, installation: Installation): Promise<Outcome> {
    const mneme = await installation.start();
    try {
      let content = '';
      for (let i = 0; content.length < CHARACTERS; i += 1) content += `${sentence(i)}\n`;
      const body = JSON.stringify({ content, customId: 'same' });
      progress('processing the document');
      expectStatus((await mneme.post('/v3/documents', body)).status, 200, 'an add');
      await mneme.settled('same');
      const times: number[] = [];
      for (let i = 0; i < (quick ? 20 : 200); i += 1) {
        const begun = performance.now();
        expectStatus((await mneme.post('/v3/documents', body)).status, 200, 'an add');
        times.push(performance.now() - begun);
      }
      const p50 = median(times);
      return {
        rows: [
          {
            what: 're-add of an unchanged document of 1 MB',
            measured: `p50 ${milliseconds(p50)}, p99 ${milliseconds(percentile(times, 0.99))}`,
            target: `p50 ≤ ${TARGET_MS} ms`,
            met: p50 <= TARGET_MS,
          },
        ],
        raw: { times },
      };
    } finally {
      await mneme.stop();
    }
  },
};
