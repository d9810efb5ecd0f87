import { Agent } from 'node:http';
import { Mneme } from '../../support/mneme.ts';
import { type Bench, type BenchOptions, expectStatus, type Outcome } from '../support/bench.ts';
import { drained, modelReady } from '../support/documents.ts';
import type { Installation, InstallationBench } from '../support/installations.ts';
import { findModel } from '../support/model.ts';
import { postOn } from '../support/post.ts';
import { milliseconds, percentile, whole } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

const DOCUMENTS = 1_000;
const QUICK_DOCUMENTS = 100;
const AT_ONCE = 100;
const QUESTIONS = 200;
const TARGET_MS = 30;
const TAG = 'rewriting';

/** With two parts, a relative date, and in every second question a word that no text has in this spelling. */
const questionOf = (i: number): string =>
  `Who ${i % 2 === 0 ? 'repiared' : 'repaired'} the ladder with number ${i} and who painted the boat last week?`;

/** With embedding off, on both set-ups. */
export const rewriting: InstallationBench = {
  name: 'rewriting',
  async run(options: BenchOptions, installation: Installation): Promise<Outcome> {
    const mneme = await installation.start();
    try {
      return await measure(mneme, options, 'by words alone');
    } finally {
      await mneme.stop();
    }
  },
};

/** With the model, which embeds every form. */
export const rewritingEmbedded: Bench = {
  name: 'rewriting-embedded',
  async run(options: BenchOptions): Promise<Outcome> {
    const model = await findModel();
    const mneme = await Mneme.start({ env: { MNEME_EMBEDDING: 'local', MNEME_MODELS: model.folder } });
    try {
      await modelReady(mneme);
      return await measure(mneme, options, 'forms embedded');
    } finally {
      await mneme.stop();
    }
  },
};

/** Asks each question as it is and rewritten, in turn, one after the other on one connection. */
async function measure(mneme: Mneme, { quick, progress }: BenchOptions, how: string): Promise<Outcome> {
  const documents = quick ? QUICK_DOCUMENTS : DOCUMENTS;
  for (let from = 0; from < documents; from += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, (_, i) => ({ content: sentence(from + i), containerTag: TAG }));
    expectStatus((await mneme.post('/v3/documents/batch', { documents: batch })).status, 200, 'a batch');
  }
  progress('waiting until the documents are done');
  await drained(mneme, documents);
  const connection = new Agent({ keepAlive: true, maxSockets: 1 });
  const latencies: { readonly plain: number[]; readonly rewritten: number[] } = { plain: [], rewritten: [] };
  try {
    progress('asking');
    for (let i = 0; i < (quick ? 20 : QUESTIONS); i++) {
      for (const way of ['plain', 'rewritten'] as const) {
        // Another number, so that no vector is cached.
        const q = questionOf(way === 'plain' ? i : i + QUESTIONS);
        const begun = performance.now();
        await postOn(mneme, connection, '/v4/search', { q, containerTag: TAG, rewriteQuery: way === 'rewritten' });
        latencies[way].push(performance.now() - begun);
      }
    }
  } finally {
    connection.destroy();
  }
  const [plain, rewritten] = [percentile(latencies.plain, 0.95), percentile(latencies.rewritten, 0.95)];
  const row = {
    what: `search over HTTP with rewriteQuery in a container of ${whole(documents)} documents, ${how}`,
    measured: `p95 ${milliseconds(rewritten)}, without rewriteQuery ${milliseconds(plain)}`,
    target: `p95 + ${TARGET_MS} ms at most`,
    met: rewritten <= plain + TARGET_MS,
  };
  return { rows: [row], raw: { documents, plain, rewritten, latencies } };
}
