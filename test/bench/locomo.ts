/**
 * Measures recall of evidence: LoCoMo's questions through POST /v4/search of a running server.
 *
 *   LOCOMO_JSON=/path/to/locomo10.json node test/bench/locomo.ts
 *
 * With LOCOMO_RERANK=true the questions are asked with `rerank`; with LOCOMO_RERANK=stored also of stored tokens
 * (`MNEME_RERANK=on`).
 *
 * One document per session with its date, one container per conversation, the local model. Prints the figures and writes
 * them to bench-results/locomo.json. The weights of the ranker are fitted on the same conversations; train-ranker.ts prints
 * the recall in conversations that are left out.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Mneme } from '../support/mneme.ts';
import { type Contexts, compareContexts } from './locomo-contexts.ts';
import { addConversations, TUNING } from './locomo-conversations.ts';
import { type Conversation, readLocomo } from './locomo-data.ts';
import { type QueryResult, type Recall, type Score, score } from './locomo-score.ts';
import { startBareModels } from './support/bare-models.ts';
import { expectStatus } from './support/bench.ts';
import { modelReady } from './support/documents.ts';
import { findModel } from './support/model.ts';
import { countModelTokens } from './support/model-tokens.ts';
import { milliseconds, percentile } from './support/statistics.ts';

const LIMIT = 25;
const STORED = process.env.LOCOMO_RERANK === 'stored';
const RERANK = STORED || process.env.LOCOMO_RERANK === 'true';
const MODEL_TIMEOUT_MS = 120_000;
const OUTPUT = resolve(import.meta.dirname, '../../bench-results/locomo.json');

const TARGETS = {
  ...(STORED
    ? { within720Tokens: 0.872, recallAt10: 0.845, recallAt1: 0.5, p95Ms: 35 }
    : { within720Tokens: 0.87, recallAt10: 0.84, recallAt1: 0.49, p95Ms: 25 }),
  ...{ p95TimesBase: 2, rerankMs: 10 },
  ...{ tokensPerToken: 1.25, ofBareModel: 1.6, contextBelow: 0.02 },
};

/** The first conversation again, without dates: there the base formula ranks alone. */
const UNDATED = 'undated';

interface SearchInput {
  readonly memory: string;
  readonly explain: { readonly cosine: number | null; readonly cosineWide: number | null };
}

interface Latency {
  readonly p50: number;
  readonly p95: number;
}

interface Report {
  readonly data: { readonly sha256: string; readonly conversations: readonly string[] };
  readonly score: Score;
  /** With `rerank` not measured. */
  readonly contexts: Contexts | null;
  readonly latencyMs: Latency;
  /** Of the same questions to a conversation with dates, which the ranker reorders; without dates; with dates and `rerank`. */
  readonly ofOne: { readonly ranker: Latency; readonly baseFormula: Latency; readonly rerank: Latency };
  /** Milliseconds from the first add until everything is found. */
  readonly ingestedMs: number;
  /** For each token of text. */
  readonly modelTokens: number;
  /** Time until everything is found, as a multiple of the bare model's for each turn once. */
  readonly ofBareModel: number;
  readonly targets: typeof TARGETS;
}

async function run(path: string): Promise<void> {
  const file = await readFile(path);
  const conversations = readLocomo(file.toString('utf8'), TUNING);
  const models = process.env.MNEME_MODELS;
  const env = {
    MNEME_EMBEDDING: 'local',
    MNEME_RERANK: STORED ? 'on' : 'off',
    ...(models && { MNEME_MODELS: models }),
  };
  const mneme = await Mneme.start({ env });
  try {
    await modelReady(mneme, MODEL_TIMEOUT_MS);
    const ingestedMs = await ingest(mneme, conversations);
    const { asked, latencies } = await askAll(mneme, conversations);
    const contexts = RERANK ? null : await compareContexts(mneme, conversations);
    const ofOne = await compareWithBase(mneme, conversations[0] as Conversation);
    const report: Report = {
      data: { sha256: createHash('sha256').update(file).digest('hex'), conversations: TUNING },
      score: score(asked),
      contexts,
      latencyMs: latencyOf(latencies),
      ofOne,
      ingestedMs,
      ...(await costOf(conversations, ingestedMs)),
      targets: TARGETS,
    };
    print(report);
    await mkdir(resolve(OUTPUT, '..'), { recursive: true });
    await writeFile(OUTPUT, `${JSON.stringify(report, null, 2)}\n`);
    console.log(`written to ${OUTPUT}`);
  } finally {
    await mneme.stop();
  }
}

/** @returns milliseconds from the first add until everything is found */
async function ingest(mneme: Mneme, conversations: readonly Conversation[]): Promise<number> {
  const begun = performance.now();
  await addConversations(mneme, conversations);
  return Math.round(performance.now() - begun);
}

/** Takes turns, so that the load of the machine counts for all. */
async function compareWithBase(mneme: Mneme, dated: Conversation): Promise<Report['ofOne']> {
  const { name, sessions, questions } = dated;
  await addConversations(mneme, [{ name: UNDATED, questions, sessions }], { dated: false });
  const timed = async (tag: string, question: string, rerank: boolean) => {
    const begun = performance.now();
    await search(mneme, tag, question, rerank);
    return performance.now() - begun;
  };
  const [ranker, baseFormula, rerank]: [number[], number[], number[]] = [[], [], []];
  for (const { text } of questions) {
    // Not a text that was asked before, whose vector would be remembered.
    ranker.push(await timed(name, `${text} .`, false));
    baseFormula.push(await timed(UNDATED, `${text} ..`, false));
    rerank.push(await timed(name, `${text} ...`, true));
  }
  return { ranker: latencyOf(ranker), baseFormula: latencyOf(baseFormula), rerank: latencyOf(rerank) };
}

const latencyOf = (latencies: readonly number[]): Latency => ({
  p50: percentile(latencies, 0.5),
  p95: percentile(latencies, 0.95),
});

/** What the model has to do for the sessions, and what the bare model would need for each turn once. */
async function costOf(conversations: readonly Conversation[], ingestedMs: number) {
  const { files, space } = await findModel();
  const sessions = conversations.flatMap((conversation) => conversation.sessions);
  const texts = sessions.map(({ turns }) => turns.map(({ line }) => line).join('\n'));
  const { modelTokens, textTokens } = await countModelTokens(files, space, texts);
  const bare = startBareModels(files);
  try {
    await bare.embed(['warm']);
    const seconds = await bare.embed(sessions.flatMap(({ turns }) => turns.map(({ line }) => line)));
    return { modelTokens: modelTokens / textTokens, ofBareModel: ingestedMs / 1_000 / seconds };
  } finally {
    await bare.close();
  }
}

async function askAll(mneme: Mneme, conversations: readonly Conversation[]) {
  const asked: QueryResult[] = [];
  const latencies: number[] = [];
  for (const { name, questions } of conversations) {
    for (const question of questions) {
      const begun = performance.now();
      const results = await search(mneme, name, question.text);
      latencies.push(performance.now() - begun);
      asked.push({ question, results: results.map(({ memory }) => memory) });
    }
  }
  return { asked, latencies };
}

async function search(mneme: Mneme, tag: string, question: string, rerank = RERANK): Promise<readonly SearchInput[]> {
  const { status, body } = await mneme.post<{ results: readonly SearchInput[] }>('/v4/search', {
    q: question,
    containerTag: tag,
    threshold: 0,
    limit: LIMIT,
    searchMode: 'memories',
    explain: true,
    rerank,
  });
  expectStatus(status, 200, 'a search');
  // A document can be done without vectors; the figures would then be those of a search by words.
  const byWords = body.results.find(({ explain }) => explain.cosine === null || explain.cosineWide === null);
  if (byWords) throw new Error(`A result in ${tag} has no vectors: ${question}`);
  return body.results;
}

function print({ data, score: { all, byCategory }, contexts, latencyMs, ofOne, ingestedMs, ...cost }: Report): void {
  const row = (name: string, recall: Recall) => ({
    name,
    questions: recall.questions,
    '<= 400 tok': rounded(recall.within400Tokens),
    '<= 720 tok': rounded(recall.within720Tokens),
    'R@1': rounded(recall.recallAt1),
    'R@5': rounded(recall.recallAt5),
    'R@10': rounded(recall.recallAt10),
    'R@15': rounded(recall.recallAt15),
  });
  console.log(`LoCoMo ${data.conversations.join(', ')}, categories 1-4; sha256 ${data.sha256}`);
  console.table([row('all', all), ...Object.entries(byCategory).map(([name, recall]) => row(name, recall))]);
  console.log(
    `search over HTTP, question embedded: p50 ${milliseconds(latencyMs.p50)}, p95 ${milliseconds(latencyMs.p95)}`,
  );
  console.log(`added and embedded in ${(ingestedMs / 1000).toFixed(1)} s`);
  verdict('evidence within 720 tokens', rounded(all.within720Tokens), all.within720Tokens >= TARGETS.within720Tokens);
  verdict('R@10', rounded(all.recallAt10), all.recallAt10 >= TARGETS.recallAt10);
  verdict('R@1', rounded(all.recallAt1), all.recallAt1 >= TARGETS.recallAt1);
  if (contexts !== null) {
    const { ofSearch, ofContext, latencyMs: ofContexts } = contexts;
    const figures = `${rounded(ofContext)} and ${rounded(ofSearch)}`;
    verdict('720 tokens of o200k: /v4/context, and search', figures, ofContext >= ofSearch - TARGETS.contextBelow);
    console.log(`a context over HTTP: p50 ${milliseconds(ofContexts.p50)}, p95 ${milliseconds(ofContexts.p95)}`);
  }
  const { modelTokens, ofBareModel } = cost;
  verdict('model tokens for each token of text', modelTokens.toFixed(2), modelTokens <= TARGETS.tokensPerToken);
  verdict('time of the bare model, times', ofBareModel.toFixed(2), ofBareModel <= TARGETS.ofBareModel);
  verdict('p95', milliseconds(latencyMs.p95), latencyMs.p95 <= TARGETS.p95Ms);
  const { ranker, baseFormula, rerank } = ofOne;
  const compared = `p50 ${milliseconds(ranker.p50)} and ${milliseconds(rerank.p50)}, p95 ${milliseconds(ranker.p95)} and ${milliseconds(rerank.p95)}`;
  if (STORED) verdict('without and with rerank', compared, rerank.p95 <= ranker.p95 + TARGETS.rerankMs);
  else console.log(`without and with rerank: ${compared}`);
  verdict(
    'p95 of the ranker, and of the base formula',
    `${milliseconds(ranker.p95)}, ${milliseconds(baseFormula.p95)}`,
    ranker.p95 <= TARGETS.p95TimesBase * baseFormula.p95,
  );
}

const verdict = (name: string, value: string, reached: boolean): void =>
  console.log(`${reached ? 'reached' : 'MISSED '}  ${name}: ${value}`);

const rounded = (share: number): string => share.toFixed(3);

const path = process.env.LOCOMO_JSON;
if (path) await run(path);
else console.warn('LoCoMo is SKIPPED: LOCOMO_JSON does not name data/locomo10.json of snap-research/LoCoMo');
