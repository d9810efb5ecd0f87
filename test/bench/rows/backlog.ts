import { setTimeout as pause } from 'node:timers/promises';
import { Mneme } from '../../support/mneme.ts';
import { type Bench, type BenchOptions, expectStatus, type Outcome } from '../support/bench.ts';
import { MemoryWatch, residentBytes } from '../support/memory.ts';
import { megabytes, whole } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

const DOCUMENTS = 200_000;
const PER_BATCH = 500;
const CLIENTS = 4;
const TARGET_BYTES = 300e6;
/** Seconds after the last add for which memory is sampled. Few of the documents become done in this time. */
const AFTER_SECONDS = 20;

/** Memory that a backlog of short documents takes, above that of the idle server. */
export const backlog: Bench = {
  name: 'backlog',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const documents = quick ? DOCUMENTS / 10 : DOCUMENTS;
    // A document that is added last must not be refused because of those before it.
    const mneme = await Mneme.start({ env: { MNEME_MAX_BACKLOG: String(2 * DOCUMENTS) } });
    const watch = new MemoryWatch(mneme.pid, 250);
    try {
      for (let i = 0; i < 100; i += 1) await mneme.get('/v3/health');
      const idle = residentBytes(mneme.pid);
      progress(`${whole(documents)} documents in batches of ${PER_BATCH}`);
      await add(mneme, documents);
      const { body } = await mneme.get<{ totalCount: number }>('/v3/documents/processing');
      await pause(quick ? 0 : AFTER_SECONDS * 1_000);
      const above = Math.max(...watch.samples) - idle;
      return {
        rows: [
          {
            what: `memory with ${whole(documents)} unfinished documents of a sentence, above the idle server`,
            measured: `${megabytes(above)} above ${megabytes(idle)}, ${whole(body.totalCount)} unfinished after the last add`,
            target: `≤ ${megabytes(TARGET_BYTES)}`,
            met: above <= TARGET_BYTES,
          },
        ],
        raw: { documents, idle, above, unfinished: body.totalCount, samples: watch.samples },
      };
    } finally {
      watch.stop();
      await mneme.kill('SIGKILL');
      await mneme.stop();
    }
  },
};

async function add(mneme: Mneme, documents: number): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < documents) {
      const from = next;
      next += PER_BATCH;
      const batch = Array.from({ length: PER_BATCH }, (_, i) => ({
        ...{ content: sentence(from + i), containerTag: `tag-${i % 8}` },
      }));
      const { status, body } = await mneme.post<{ failed: number }>('/v3/documents/batch', { documents: batch });
      expectStatus(status, 200, 'a batch');
      if (body.failed > 0) throw new Error(`${body.failed} documents of a batch were refused`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}
