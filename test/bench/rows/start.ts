import { Mneme } from '../../support/mneme.ts';
import { type Bench, type BenchOptions, expectStatus, type Outcome, type Row, SkippedError } from '../support/bench.ts';
import { residentBytes } from '../support/memory.ts';
import { findModel } from '../support/model.ts';
import { median, megabytes, seconds } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

const TARGET = { seconds: 2, rssBytes: 180e6 };
const ADDS = 50;
const SEARCHES = 50;

interface StartMeasurement {
  readonly seconds: number;
  readonly rss: number;
  readonly rssAfterRequests: number;
}

/** Time from spawning a built server on an empty folder to the first response of `GET /v3/health`. */
export const start: Bench = {
  name: 'start',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const times = quick ? 2 : 5;
    const off = await repeat(times, {}, progress);
    const rss = median(off.map((one) => one.rss));
    const used = median(off.map((one) => one.rssAfterRequests));
    const local = await startsWithModel(times, progress);
    return {
      rows: [
        timeRow(`embedding off, median of ${times}`, off),
        {
          what: `memory when ready, before a model is loaded; after ${ADDS} adds and ${SEARCHES} searches`,
          measured: `${megabytes(rss)}; ${megabytes(used)}`,
          target: `≤ ${megabytes(TARGET.rssBytes)} when ready`,
          met: rss <= TARGET.rssBytes,
        },
        'skipped' in local
          ? { what: 'start to ready, with a model', measured: local.skipped, target: '', met: null }
          : timeRow(`model in MNEME_MODELS, fetched and loaded behind it, median of ${times}`, local),
      ],
      raw: { off, local },
    };
  },
};

async function startsWithModel(times: number, progress: BenchOptions['progress']) {
  try {
    const { folder } = await findModel();
    return await repeat(times, { MNEME_EMBEDDING: 'local', MNEME_MODELS: folder }, progress);
  } catch (error) {
    if (error instanceof SkippedError) return { skipped: error.message };
    throw error;
  }
}

function timeRow(how: string, started: readonly StartMeasurement[]): Row {
  const took = median(started.map((one) => one.seconds));
  return {
    what: `start to ready, ${how}`,
    measured: seconds(took),
    target: `≤ ${TARGET.seconds} s`,
    met: took <= TARGET.seconds,
  };
}

async function repeat(times: number, env: Record<string, string>, progress: BenchOptions['progress']) {
  const started: StartMeasurement[] = [];
  for (let i = 0; i < times; i++) {
    progress(`start ${i + 1} of ${times}, embedding ${env.MNEME_EMBEDDING ?? 'off'}`);
    started.push(await startOnce(env));
  }
  return started;
}

async function startOnce(env: Record<string, string>): Promise<StartMeasurement> {
  const begun = performance.now();
  const mneme = await Mneme.start({ env });
  try {
    expectStatus((await mneme.get('/v3/health')).status, 200, 'the health');
    const took = (performance.now() - begun) / 1_000;
    const rss = residentBytes(mneme.pid);
    for (let i = 0; i < ADDS; i++) await mneme.add(sentence(i));
    for (let i = 0; i < SEARCHES; i++)
      expectStatus((await mneme.post('/v4/search', { q: sentence(i) })).status, 200, 'a search');
    return { seconds: took, rss, rssAfterRequests: residentBytes(mneme.pid) };
  } finally {
    await mneme.stop();
  }
}
