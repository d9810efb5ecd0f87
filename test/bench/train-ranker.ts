/**
 * Fits the weights of the ranker (libs/features/search/src/ranking) on LoCoMo's tuning conversations, and writes weights.ts.
 *
 *   LOCOMO_JSON=/path/to/locomo10.json node test/bench/train-ranker.ts [data folder]
 *
 * Prints recall with weights that are fitted on four conversations and asked on the fifth; the written weights are fitted
 * on all five. A data folder keeps the embedded conversations for the next time.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { coreOf, FEATURES, RANKED } from '#features/search';
import type { OrganizationId } from '#platform/kernel';
import { openBareModel } from '#ports/models';
import { SqliteViewsReader, type UnitHit } from '#read-side/views';
import { Mneme } from '../support/mneme.ts';
import { addConversations, TUNING } from './locomo-conversations.ts';
import { type Conversation, type Question, readLocomo } from './locomo-data.ts';
import { holdsTurn, type QueryResult, score } from './locomo-score.ts';
import { countDone, modelReady } from './support/documents.ts';
import { fitListwise, type RankedList, total } from './support/listwise.ts';
import { findModel } from './support/model.ts';

const CACHE_BYTES = 2 ** 28;
const MODEL_TIMEOUT_MS = 120_000;
const WEIGHTS = resolve(import.meta.dirname, '../../libs/features/search/src/ranking/weights.ts');

/** A question with the base formula's best units. */
interface Asked extends RankedList {
  readonly conversation: string;
  readonly question: Question;
  readonly hits: readonly UnitHit[];
}

async function run(path: string, kept: string | undefined): Promise<void> {
  const conversations = readLocomo(await readFile(path, 'utf8'), TUNING);
  const folder = kept === undefined ? await mkdtemp(join(tmpdir(), 'mneme-ranker-')) : resolve(kept);
  try {
    const organization = await ingest(folder, conversations);
    const asked = await askAll(folder, organization, conversations);
    console.table([figures('base formula', asked.map(byBase)), figures('left out', leaveOneOut(asked))]);
    const weights = fitListwise(asked, FEATURES.length);
    console.table([
      figures(
        'fitted on all',
        asked.map((one) => byWeights(one, weights)),
      ),
    ]);
    console.table(FEATURES.map((feature, i) => ({ feature, weight: rounded(weights[i]) })));
    await writeFile(WEIGHTS, weightsFile(weights));
    console.log(`written to ${WEIGHTS}`);
  } finally {
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function ingest(folder: string, conversations: readonly Conversation[]): Promise<OrganizationId> {
  const models = process.env.MNEME_MODELS;
  const mneme = await Mneme.start({
    folder,
    env: { MNEME_EMBEDDING: 'local', ...(models && { MNEME_MODELS: models }) },
  });
  try {
    await modelReady(mneme, MODEL_TIMEOUT_MS);
    if ((await countDone(mneme)) === 0) await addConversations(mneme, conversations);
    const { body } = await mneme.get<{ org: { id: string } }>('/v3/session');
    return body.org.id as OrganizationId;
  } finally {
    await mneme.stop();
  }
}

async function askAll(
  folder: string,
  organization: OrganizationId,
  conversations: readonly Conversation[],
): Promise<Asked[]> {
  const { files, space } = await findModel();
  const model = await openBareModel(files);
  const views = SqliteViewsReader.open({ path: join(folder, 'views.db'), cacheBytes: CACHE_BYTES });
  const asked: Asked[] = [];
  for (const { name, questions } of conversations) {
    for (const question of questions) {
      const [values, core] = [
        await model.embed('query', [question.text]),
        await model.embed('query', [coreOf(question.text)]),
      ];
      const hits = await views.search({
        ...{ scope: { organization, tags: [name] }, filter: null, filepath: null, documentId: null },
        ...{ kind: 'memory', question: question.text, vectors: [{ space, values, core }], limit: RANKED },
      });
      asked.push({ conversation: name, question, hits, ...listOf(question, hits) });
    }
  }
  await views.close();
  await model.close();
  return asked;
}

/** @throws Error if a hit was not ranked by its features */
function listOf({ evidence }: Question, hits: readonly UnitHit[]): RankedList {
  return {
    candidates: hits.map(({ features }) => {
      if (features === null) throw new Error('A unit has no features');
      return FEATURES.map((feature) => features[feature]);
    }),
    right: hits.map(({ unit }) => evidence.some((turn) => holdsTurn(unit.text, turn))),
  };
}

function leaveOneOut(asked: readonly Asked[]): QueryResult[] {
  return TUNING.flatMap((left) => {
    const weights = fitListwise(
      asked.filter(({ conversation }) => conversation !== left),
      FEATURES.length,
    );
    return asked.filter(({ conversation }) => conversation === left).map((one) => byWeights(one, weights));
  });
}

const byBase = ({ question, hits }: Asked): QueryResult => ({
  question,
  results: hits.toSorted((a, b) => b.score - a.score).map(({ unit }) => unit.text),
});

function byWeights({ question, hits, candidates }: Asked, weights: readonly number[]): QueryResult {
  const order = hits
    .map(({ unit }, i) => ({ text: unit.text, total: total(candidates[i] as readonly number[], weights) }))
    .sort((a, b) => b.total - a.total);
  return { question, results: order.map(({ text }) => text) };
}

function figures(name: string, results: readonly QueryResult[]) {
  const { all } = score(results);
  return {
    name,
    'R@1': all.recallAt1.toFixed(3),
    'R@5': all.recallAt5.toFixed(3),
    'R@10': all.recallAt10.toFixed(3),
    '<= 400 tok': all.within400Tokens.toFixed(3),
    '<= 720 tok': all.within720Tokens.toFixed(3),
  };
}

const rounded = (weight: number | undefined): number => Number((weight ?? 0).toFixed(3));

function weightsFile(weights: readonly number[]): string {
  const lines = FEATURES.map((feature, i) => `  ${feature}: ${rounded(weights[i])},`);
  return [
    `import type { FeatureValues } from './features.ts';`,
    '',
    '/** For spaces whose units share windows. Fitted by test/bench/train-ranker.ts, which writes this file. */',
    'export const WINDOW_WEIGHTS: FeatureValues = {',
    ...lines,
    '};',
    '',
  ].join('\n');
}

const path = process.env.LOCOMO_JSON;
if (path) await run(path, process.argv[2]);
else console.warn('SKIPPED: LOCOMO_JSON does not name data/locomo10.json of snap-research/LoCoMo');
