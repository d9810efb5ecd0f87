/**
 * Measures recall of evidence: LoCoMo's questions through POST /v4/search of a running server.
 *
 *   LOCOMO_JSON=/path/to/locomo10.json node test/bench/locomo.ts
 *
 * One document per session with its date, one container per conversation, the local model. Prints the figures and writes
 * them to bench-results/locomo.json.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Mneme } from '../support/mneme.ts';
import { type Conversation, readLocomo } from './locomo-data.ts';
import { type QueryResult, type Recall, type Score, score } from './locomo-score.ts';
import { expectStatus } from './support/bench.ts';
import { drained, modelReady } from './support/documents.ts';
import { milliseconds, percentile } from './support/statistics.ts';

/** The tuning set. The other five conversations of the file are for verification. */
const CONVERSATIONS = ['conv-26', 'conv-30', 'conv-41', 'conv-42', 'conv-43'];
const LIMIT = 15;
const MODEL_TIMEOUT_MS = 120_000;
const OUTPUT = resolve(import.meta.dirname, '../../bench-results/locomo.json');

const TARGETS = { within720Tokens: 0.82, recallAt10: 0.78, p95Ms: 25 };

interface SearchBody {
  readonly memory: string;
  readonly explain: { readonly cosine: number | null; readonly cosineWide: number | null };
}

interface Report {
  readonly data: { readonly sha256: string; readonly conversations: readonly string[] };
  readonly score: Score;
  readonly latencyMs: { readonly p50: number; readonly p95: number };
  /** Milliseconds from the first add until everything is found. */
  readonly ingestedMs: number;
  readonly targets: typeof TARGETS;
}

async function run(path: string): Promise<void> {
  const file = await readFile(path);
  const conversations = readLocomo(file.toString('utf8'), CONVERSATIONS);
  const models = process.env.MNEME_MODELS;
  const mneme = await Mneme.start({ env: { MNEME_EMBEDDING: 'local', ...(models && { MNEME_MODELS: models }) } });
  try {
    await modelReady(mneme, MODEL_TIMEOUT_MS);
    const ingestedMs = await ingest(mneme, conversations);
    const { asked, latencies } = await askAll(mneme, conversations);
    const report: Report = {
      data: { sha256: createHash('sha256').update(file).digest('hex'), conversations: CONVERSATIONS },
      score: score(asked),
      latencyMs: { p50: percentile(latencies, 0.5), p95: percentile(latencies, 0.95) },
      ingestedMs,
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
  const documents = conversations.flatMap(({ name, sessions }) => sessions.map((session) => ({ name, session })));
  for (const { name, session } of documents) {
    const content = session.turns.map(({ line }) => line).join('\n');
    await mneme.add(content, { containerTag: name, documentDate: session.date });
  }
  await drained(mneme, documents.length);
  return Math.round(performance.now() - begun);
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

async function search(mneme: Mneme, tag: string, question: string): Promise<readonly SearchBody[]> {
  const { status, body } = await mneme.post<{ results: readonly SearchBody[] }>('/v4/search', {
    q: question,
    containerTag: tag,
    threshold: 0,
    limit: LIMIT,
    searchMode: 'memories',
    explain: true,
  });
  expectStatus(status, 200, 'a search');
  // A document can be done without vectors; the figures would then be those of a search by words.
  const byWords = body.results.find(({ explain }) => explain.cosine === null || explain.cosineWide === null);
  if (byWords) throw new Error(`A result in ${tag} has no vectors: ${question}`);
  return body.results;
}

function print({ data, score: { all, byCategory }, latencyMs, ingestedMs }: Report): void {
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
  verdict('p95', milliseconds(latencyMs.p95), latencyMs.p95 <= TARGETS.p95Ms);
}

const verdict = (name: string, value: string, reached: boolean): void =>
  console.log(`${reached ? 'reached' : 'MISSED '}  ${name}: ${value}`);

const rounded = (share: number): string => share.toFixed(3);

const path = process.env.LOCOMO_JSON;
if (path) await run(path);
else console.warn('LoCoMo is SKIPPED: LOCOMO_JSON does not name data/locomo10.json of snap-research/LoCoMo');
