import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mneme } from '../../support/mneme.ts';
import { type Cranfield, ndcgAt10, readCranfield } from '../cranfield-data.ts';
import { type BenchOptions, expectStatus, type Outcome, SkippedError } from '../support/bench.ts';
import { drained, modelReady } from '../support/documents.ts';
import type { Installation, InstallationBench } from '../support/installations.ts';
import { findModel } from '../support/model.ts';
import { countModelTokens } from '../support/model-tokens.ts';
import { mean } from '../support/statistics.ts';

const AT_ONCE = 100;
const TAG = 'cranfield';
const TARGET = { ndcg: 0.42, tokensPerToken: 2.3 };
const TIMEOUT_MS = 3_600_000;

/** Asks the questions of Cranfield for documents, with the model, on both set-ups. */
export const cranfield: InstallationBench = {
  name: 'cranfield',
  async run({ progress }: BenchOptions, installation: Installation): Promise<Outcome> {
    const folder = process.env.CRANFIELD;
    if (!folder) throw new SkippedError('CRANFIELD does not name a folder with cran.all.1400, cran.qry and cranqrel');
    const read = (name: string) => readFile(join(folder, name), 'utf8');
    const data = readCranfield({
      ...{ abstracts: await read('cran.all.1400'), questions: await read('cran.qry') },
      judgements: await read('cranqrel'),
    });
    const model = await findModel();
    const texts = data.abstracts.map(({ text }) => text);
    const { modelTokens, textTokens } = await countModelTokens(model.files, model.space, texts);
    const mneme = await installation.start({ MNEME_EMBEDDING: 'local', MNEME_MODELS: model.folder });
    try {
      await modelReady(mneme);
      await ingest(mneme, data, progress);
      progress(`asking ${data.questions.length} questions`);
      const ndcg = await ask(mneme, data);
      return outcome(ndcg, modelTokens / textTokens, data);
    } finally {
      await mneme.stop();
    }
  },
};

async function ingest(mneme: Mneme, { abstracts }: Cranfield, progress: BenchOptions['progress']): Promise<void> {
  for (let from = 0; from < abstracts.length; from += AT_ONCE) {
    const documents = abstracts.slice(from, from + AT_ONCE).map(({ number, text }) => ({
      ...{ content: text, customId: number, containerTag: TAG },
    }));
    expectStatus((await mneme.post('/v3/documents/batch', { documents })).status, 200, 'a batch');
  }
  progress(`embedding ${abstracts.length} documents`);
  await drained(mneme, abstracts.length, { timeoutMs: TIMEOUT_MS });
}

interface Found {
  readonly results: readonly { readonly documentId: string }[];
}

/** @returns of each question */
async function ask(mneme: Mneme, { abstracts, questions }: Cranfield): Promise<number[]> {
  const numberOf = new Map<string, string>();
  for (const { number } of abstracts) {
    const { status, body } = await mneme.get<{ id: string }>(`/v3/documents/${number}`);
    expectStatus(status, 200, `abstract ${number}`);
    numberOf.set(body.id, number);
  }
  const values: number[] = [];
  for (const { text, relevant } of questions) {
    const wanted = { q: text, containerTag: TAG, limit: 10, chunkThreshold: 0, documentThreshold: 0 };
    const { status, body } = await mneme.post<Found>('/v3/search', wanted);
    expectStatus(status, 200, 'a search');
    const found = body.results.map(({ documentId }) => numberOf.get(documentId) as string);
    values.push(ndcgAt10(found, relevant));
  }
  return values;
}

function outcome(values: readonly number[], tokens: number, { abstracts, questions }: Cranfield): Outcome {
  const ndcg = mean(values);
  return {
    rows: [
      {
        what: `Cranfield, ${abstracts.length} abstracts, ${questions.length} questions: nDCG@10 of documents`,
        measured: ndcg.toFixed(3),
        target: `≥ ${TARGET.ndcg}`,
        met: ndcg >= TARGET.ndcg,
      },
      {
        what: 'Cranfield: tokens that the model reads for each token of text',
        measured: tokens.toFixed(2),
        target: `≤ ${TARGET.tokensPerToken}`,
        met: tokens <= TARGET.tokensPerToken,
      },
    ],
    raw: { ndcg, tokens, values },
  };
}
