import { OWNER_KEY } from '../../support/mneme.ts';
import type { BenchOptions, Outcome } from '../support/bench.ts';
import type { Installation, InstallationBench } from '../support/installations.ts';
import { load } from '../support/load.ts';
import { seconds } from '../support/statistics.ts';

const CONNECTIONS = 32;
const TARGET_SECONDS = 5;

/** Time from SIGTERM to the end of the process while clients send adds. */
export const stop: InstallationBench = {
  name: 'stop',
  async run({ quick, progress }: BenchOptions, installation: Installation): Promise<Outcome> {
    const loaded = quick ? 2 : 10;
    progress(`${loaded} s of adds, then SIGTERM`);
    const mneme = await installation.start();
    try {
      const stopping = Promise.withResolvers<number>();
      const sending = load(
        {
          url: `${mneme.url}/v3/documents`,
          key: OWNER_KEY,
          connections: CONNECTIONS,
          firstSentence: 0,
          length: { warmup: loaded, seconds: 2 },
        },
        () => {
          const begun = performance.now();
          mneme
            .kill('SIGTERM')
            .then(() => stopping.resolve((performance.now() - begun) / 1_000))
            .catch(stopping.reject);
        },
      );
      const took = await stopping.promise;
      const { answeredInAll } = await sending;
      return {
        rows: [
          {
            what: `stop under load: SIGTERM to the end of the process, ${CONNECTIONS} connections sending adds`,
            measured: seconds(took),
            target: `≤ ${TARGET_SECONDS} s`,
            met: took <= TARGET_SECONDS,
          },
        ],
        raw: { took, answeredInAll },
      };
    } finally {
      await mneme.stop();
    }
  },
};
