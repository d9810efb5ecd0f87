import { Agent } from 'node:http';
import type { Mneme } from '../../support/mneme.ts';
import { type BenchOptions, expectStatus, type Outcome } from '../support/bench.ts';
import { drained, modelReady } from '../support/documents.ts';
import type { Installation, InstallationBench } from '../support/installations.ts';
import { findModel } from '../support/model.ts';
import { postOn } from '../support/post.ts';
import { milliseconds, percentile, whole } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

const DOCUMENTS = 1_000;
const QUICK_DOCUMENTS = 200;
const AT_ONCE = 100;
const QUESTIONS = 200;
const TARGET_MS = 10;
const TAG = 'reranking';

interface Answer {
  readonly results: readonly { readonly explain: { readonly rerank?: object | null } }[];
}

/** What `rerank` adds to a search if the tokens of passages are stored, on both set-ups. */
export const reranking: InstallationBench = {
  name: 'reranking',
  async run(options: BenchOptions, installation: Installation): Promise<Outcome> {
    const { folder } = await findModel();
    const env = { MNEME_EMBEDDING: 'local', MNEME_MODELS: folder, MNEME_RERANK: 'on' };
    const mneme = await installation.start(env);
    try {
      await modelReady(mneme);
      return await measure(mneme, options);
    } finally {
      await mneme.stop();
    }
  },
};

/** Asks each question with and without `rerank`, in turn, one after the other on one connection. */
async function measure(mneme: Mneme, { quick, progress }: BenchOptions): Promise<Outcome> {
  const documents = quick ? QUICK_DOCUMENTS : DOCUMENTS;
  for (let from = 0; from < documents; from += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, (_, i) => ({ content: sentence(from + i), containerTag: TAG }));
    expectStatus((await mneme.post('/v3/documents/batch', { documents: batch })).status, 200, 'a batch');
  }
  progress('waiting until the documents are done');
  await drained(mneme, documents);
  const connection = new Agent({ keepAlive: true, maxSockets: 1 });
  const latencies: { readonly plain: number[]; readonly reranked: number[] } = { plain: [], reranked: [] };
  let compared = 0;
  try {
    progress('asking');
    for (let i = 0; i < (quick ? 20 : QUESTIONS); i++) {
      for (const way of ['plain', 'reranked'] as const) {
        // Another number, so that no vector is cached.
        const q = `Who repaired the ladder with number ${way === 'plain' ? i : i + QUESTIONS}?`;
        const search = { q, containerTag: TAG, limit: 100, threshold: 0, explain: true, rerank: way === 'reranked' };
        const begun = performance.now();
        const { results } = await postOn<Answer>(mneme, connection, '/v4/search', search);
        latencies[way].push(performance.now() - begun);
        compared += results.filter(({ explain }) => explain.rerank).length;
      }
    }
  } finally {
    connection.destroy();
  }
  const [plain, reranked] = [percentile(latencies.plain, 0.95), percentile(latencies.reranked, 0.95)];
  const [plainP50, rerankedP50] = [percentile(latencies.plain, 0.5), percentile(latencies.reranked, 0.5)];
  const each = Math.round(compared / latencies.reranked.length);
  const row = {
    what: `search over HTTP with rerank in a container of ${whole(documents)} documents, tokens stored, ${each} passages compared`,
    measured: `p95 ${milliseconds(reranked)}, p50 ${milliseconds(rerankedP50)}; without rerank ${milliseconds(plain)}, ${milliseconds(plainP50)}`,
    target: `p95 + ${TARGET_MS} ms at most`,
    met: reranked <= plain + TARGET_MS,
  };
  return { rows: [row], raw: { documents, compared: each, plain, reranked, latencies } };
}
