import { Agent } from 'node:http';
import { Mneme } from '../../support/mneme.ts';
import type { Bench, BenchOptions, Outcome } from '../support/bench.ts';
import { modelReady } from '../support/documents.ts';
import { residentBytes } from '../support/memory.ts';
import { findModel } from '../support/model.ts';
import { postOn } from '../support/post.ts';
import { below, seededRandom } from '../support/random.ts';
import {
  containerName,
  prepareSearchFolder,
  textOfUnit,
  UNITS_PER_CONTAINER,
  WARM_UP_TAG,
} from '../support/search-folder.ts';
import { megabytes, milliseconds, percentile, whole } from '../support/statistics.ts';

interface Target {
  readonly p50Ms: number;
  readonly p99Ms: number | null;
  readonly rssBytes: number | null;
}

const QUESTIONS = 1_000;
const WORDS_PER_QUESTION = 5;
const RESULTS = 10;

const searchAmong = (name: string, units: number, quickUnits: number, target: Target): Bench => ({
  name,
  run: ({ quick, progress }) => measure(quick ? quickUnits : units, target, progress),
});

export const search100k = searchAmong('search-100k', 100_000, 10_000, { p50Ms: 2, p99Ms: 8, rssBytes: null });
export const search1m = searchAmong('search-1m', 1_000_000, 20_000, { p50Ms: 3, p99Ms: null, rssBytes: 600e6 });

/**
 * Hybrid queries over random containers, one after the other on one connection. Each query runs once before in a container
 * of a single document, so that its vector is cached and no other container has been read.
 */
async function measure(units: number, target: Target, progress: BenchOptions['progress']): Promise<Outcome> {
  const model = await findModel();
  const { folder, reused } = await prepareSearchFolder(units, model.space, progress);
  const mneme = await Mneme.start({ folder, env: { MNEME_EMBEDDING: 'local', MNEME_MODELS: model.folder } });
  const connection = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    await modelReady(mneme);
    const questions = makeQuestions(units);
    progress(`embedding ${QUESTIONS} queries`);
    for (const { text } of questions) await ask(mneme, connection, { q: text, containerTag: WARM_UP_TAG });
    progress(`running ${QUESTIONS} queries`);
    const latencies: number[] = [];
    for (const { text, container } of questions) {
      const begun = performance.now();
      const results = await ask(mneme, connection, { q: text, containerTag: container });
      latencies.push(performance.now() - begun);
      if (results.length !== RESULTS) throw new Error(`${results.length} results for: ${text}`);
    }
    const rss = residentBytes(mneme.pid);
    const { text, container } = questions[0] as Question;
    checkHybrid(await ask(mneme, connection, { q: text, containerTag: container, explain: true }));
    return outcome(units, target, { latencies, rss, reused });
  } finally {
    connection.destroy();
    await mneme.stop();
  }
}

interface Figures {
  readonly latencies: readonly number[];
  readonly rss: number;
  readonly reused: boolean;
}

function outcome(units: number, target: Target, { latencies, rss, reused }: Figures): Outcome {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(latencies, share)) as [number, number, number];
  const limits = [`p50 ≤ ${target.p50Ms} ms`, ...(target.p99Ms === null ? [] : [`p99 ≤ ${target.p99Ms} ms`])];
  const prepared = reused ? 'folder of an earlier run' : 'folder filled in this run';
  const among = `${whole(UNITS_PER_CONTAINER)} memories among ${whole(units)}`;
  return {
    rows: [
      {
        what: `hybrid search over HTTP in a container of ${among}, ${QUESTIONS} questions, containers cold at first (${prepared})`,
        measured: `p50 ${milliseconds(p50)}, p95 ${milliseconds(p95)}, p99 ${milliseconds(p99)}`,
        target: limits.join(', '),
        met: p50 <= target.p50Ms && (target.p99Ms === null || p99 <= target.p99Ms),
      },
      {
        what: 'the same: memory of the server, model included',
        measured: megabytes(rss),
        target: target.rssBytes === null ? '' : `≤ ${megabytes(target.rssBytes)}`,
        met: target.rssBytes === null ? null : rss <= target.rssBytes,
      },
    ],
    raw: { units, p50, p95, p99, slowest: percentile(latencies, 1), rss, reused, latencies },
  };
}

interface Question {
  readonly text: string;
  readonly container: string;
}

/** Each query consists of words of one unit of a random container. */
function makeQuestions(units: number): Question[] {
  const random = seededRandom(units);
  return Array.from({ length: QUESTIONS }, () => {
    const unit = below(random, units);
    const words = textOfUnit(unit).split(' ');
    const picked = Array.from({ length: WORDS_PER_QUESTION }, () => words[below(random, words.length)]);
    return { text: picked.join(' '), container: containerName(Math.floor(unit / UNITS_PER_CONTAINER)) };
  });
}

interface Result {
  readonly explain?: { readonly cosine: number | null; readonly cosineWide: number | null };
}

interface SearchInput {
  readonly q: string;
  readonly containerTag: string;
  readonly explain?: boolean;
}

async function ask(mneme: Mneme, agent: Agent, fields: SearchInput): Promise<readonly Result[]> {
  const request = { ...fields, threshold: 0, limit: RESULTS };
  const { results } = await postOn<{ results: readonly Result[] }>(mneme, agent, '/v4/search', request);
  return results;
}

/** Checks that both words and vectors were used. */
function checkHybrid(results: readonly Result[]): void {
  if (!results.every(({ explain }) => explain?.cosine != null && explain.cosineWide != null)) {
    throw new Error('The results have no cosines');
  }
}
