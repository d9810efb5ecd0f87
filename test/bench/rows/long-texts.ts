import { setTimeout as pause } from 'node:timers/promises';
import { Mneme } from '../../support/mneme.ts';
import { type Bench, type BenchOptions, expectStatus, type Outcome, type Row } from '../support/bench.ts';
import { drained, modelReady } from '../support/documents.ts';
import { findModel } from '../support/model.ts';
import { milliseconds, percentile, seconds, whole } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

/** Small documents, in the container that is searched meanwhile. */
const OTHERS = 1_000;
const IDLE_SEARCHES = 500;
const BETWEEN_SEARCHES_MS = 5;
const BETWEEN_LOOKS_MS = 50;
const TIMEOUT_MS = 3_600_000;
/** Search p99 while a long text is processed: this, or twice as long as without it. */
const TARGET_MS = 50;

const CUSTOM_ID = 'long';

/** Adds a long text and then changes it, while other documents are searched. */
export const longTexts: Bench = {
  name: 'long-texts',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const figures = await measure(quick ? 1e6 : 10e6, {}, progress);
    return { rows: rowsOf('embedding off', figures), raw: figures };
  },
};

export const longTextsEmbedded: Bench = {
  name: 'long-texts-embedded',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const { folder } = await findModel();
    const env = { MNEME_EMBEDDING: 'local', MNEME_MODELS: folder };
    const figures = await measure(quick ? 5e4 : 1e6, env, progress);
    return { rows: rowsOf('with the model', figures), raw: figures };
  },
};

interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
}

interface Phase {
  /** From the request until a search finds the text. */
  readonly seconds: number;
  readonly searches: Latencies;
  /** Of a request that only the main thread answers, so the time for which something blocks it. */
  readonly mainThread: Latencies;
}

interface Figures {
  readonly bytes: number;
  readonly idle: Latencies;
  readonly add: Phase;
  readonly update: Phase;
}

async function measure(
  bytes: number,
  env: Readonly<Record<string, string>>,
  progress: BenchOptions['progress'],
): Promise<Figures> {
  const mneme = await Mneme.start({ env });
  try {
    if (env.MNEME_EMBEDDING) await modelReady(mneme);
    progress(`${whole(OTHERS)} small documents`);
    for (let i = 0; i < OTHERS; i += 1) await mneme.add(sentence(i), { containerTag: 'others' });
    await drained(mneme, OTHERS, { timeoutMs: TIMEOUT_MS });
    const ask = searches(mneme);
    for (let i = 0; i < IDLE_SEARCHES / 5; i += 1) await ask();
    const idle: number[] = [];
    for (let i = 0; i < IDLE_SEARCHES; i += 1) {
      idle.push(await ask());
      await pause(BETWEEN_SEARCHES_MS);
    }

    // Built before, because it would delay the measured requests of this process.
    const text = longText(bytes);
    const added = bodyOf(`${text}\nThe zebrafinch sings.`);
    const changed = bodyOf(`${text}\nThe zebrafinch sings.\nThe quokka listens.`);
    progress(`adding ${whole(bytes)} bytes`);
    const add = await during(mneme, ask, () => addLong(mneme, added, 'zebrafinch'));
    progress('adding a line to it');
    const update = await during(mneme, ask, () => addLong(mneme, changed, 'quokka'));
    return { bytes, idle: latencies(idle), add, update };
  } finally {
    await mneme.stop();
  }
}

/** Sentences, a paragraph of five each. */
function longText(bytes: number): string {
  const parts: string[] = [];
  let size = 0;
  for (let i = 0; size < bytes; i += 1) {
    const part = sentence(OTHERS + i) + (i % 5 === 4 ? '\n\n' : ' ');
    parts.push(part);
    size += part.length;
  }
  return parts.join('').slice(0, bytes);
}

const bodyOf = (content: string): string => JSON.stringify({ content, containerTag: 'long', customId: CUSTOM_ID });

/** Adds the text and waits until it is done and a search finds a word of its last line. */
async function addLong(mneme: Mneme, body: string, word: string): Promise<void> {
  const { status } = await mneme.post('/v3/documents', body);
  expectStatus(status, 200, 'the add of a long text');
  for (;;) {
    await drained(mneme, OTHERS + 1, { timeoutMs: TIMEOUT_MS });
    const query = { q: word, containerTag: 'long', threshold: 0, limit: 1 };
    const found = await mneme.post<{ results: readonly { memory: string }[] }>('/v4/search', query);
    expectStatus(found.status, 200, 'a search');
    if (found.body.results[0]?.memory.includes(word)) return;
    await pause(BETWEEN_LOOKS_MS);
  }
}

/** Measures searches and requests to the main thread while something is done. */
async function during(mneme: Mneme, ask: () => Promise<number>, act: () => Promise<void>): Promise<Phase> {
  const begun = performance.now();
  let done = false;
  const acting = act().finally(() => {
    done = true;
  });
  const repeat = async (measured: () => Promise<number>) => {
    const values: number[] = [];
    while (!done) {
      values.push(await measured());
      await pause(BETWEEN_SEARCHES_MS);
    }
    return latencies(values);
  };
  const light = async () => {
    const asked = performance.now();
    const { status } = await mneme.get('/');
    expectStatus(status, 200, 'GET /');
    return performance.now() - asked;
  };
  const [searched, mainThread] = await Promise.all([repeat(ask), repeat(light), acting]);
  return { seconds: (performance.now() - begun) / 1_000, searches: searched, mainThread };
}

/** Returns a function that searches the other documents, each time with another question, and returns the milliseconds. */
function searches(mneme: Mneme): () => Promise<number> {
  let count = 0;
  return async () => {
    const q = sentence(count++ % OTHERS).replace(/[^a-z]+/gi, ' ');
    const asked = performance.now();
    const { status, body } = await mneme.post<{ results: readonly unknown[] }>('/v4/search', {
      q: `${q} ${count}`,
      containerTag: 'others',
      limit: 10,
      threshold: 0,
    });
    expectStatus(status, 200, 'a search');
    if (body.results.length !== 10) throw new Error(`${body.results.length} results for: ${q}`);
    return performance.now() - asked;
  };
}

const latencies = (values: readonly number[]): Latencies => ({
  p50: percentile(values, 0.5),
  p99: percentile(values, 0.99),
  slowest: percentile(values, 1),
});

function rowsOf(name: string, { bytes, idle, add, update }: Figures): Row[] {
  const limit = Math.max(2 * idle.p99, TARGET_MS);
  const rowOf = (what: string, phase: Phase): Row => ({
    what,
    measured:
      `p99 ${milliseconds(phase.searches.p99)} (idle ${milliseconds(idle.p99)}), searchable after ` +
      `${seconds(phase.seconds)}; the main thread answers in p99 ${milliseconds(phase.mainThread.p99)}, at most ` +
      milliseconds(phase.mainThread.slowest),
    target: `p99 ≤ ${milliseconds(limit)}`,
    met: phase.searches.p99 <= limit,
  });
  return [
    rowOf(`searches of others while a text of ${whole(bytes / 1e3)} kB is added, ${name}`, add),
    rowOf('the same while a line is added to it', update),
  ];
}
