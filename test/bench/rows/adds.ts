import { Mneme, OWNER_KEY } from '../../support/mneme.ts';
import type { Bench, BenchOptions, Outcome } from '../support/bench.ts';
import { countDone, drained } from '../support/documents.ts';
import { startEcho } from '../support/echo.ts';
import { load } from '../support/load.ts';
import { MemoryWatch } from '../support/memory.ts';
import { mean, megabytes, milliseconds, percent, percentile, seconds, whole } from '../support/statistics.ts';

const CONNECTIONS = 32;
const WARMUP_SECONDS = 3;
const TARGET = { share: 0.12, p99Ms: 50, donePerSecond: 200 };
/** Memory growth from the first to the second half of the drain that counts as noise. */
const LEVEL = 1.05;

/** Adds under full load, compared with an echo of the same bodies before and after them, to cancel drift of the machine. */
export const adds: Bench = {
  name: 'adds',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const duration = quick ? 5 : 30;
    const before = await measureEcho(duration / 2, progress);
    const measured = await measureAdds(duration, progress);
    const after = await measureEcho(duration / 2, progress);

    const echoRate = mean([before.rate, after.rate]);
    const share = measured.rate / echoRate;
    const { p50, p99, failed, donePerSecond, backlog, drainSeconds, rss } = measured;
    const what = `${CONNECTIONS} connections, ${duration} s after ${WARMUP_SECONDS} s of warm-up`;
    return {
      rows: [
        {
          what: `durable adds, ${what}, as a share of a bare Nest + Fastify echo before and after them`,
          measured: `${percent(share)}: ${whole(measured.rate)}/s of ${whole(before.rate)} and ${whole(after.rate)}/s`,
          target: `≥ ${percent(TARGET.share)}`,
          met: share >= TARGET.share,
        },
        {
          what: 'the same: latency of an add',
          measured: `p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}`,
          target: `p99 ≤ ${TARGET.p99Ms} ms`,
          met: p99 <= TARGET.p99Ms,
        },
        {
          what: 'the same: responses other than 200, and errors',
          measured: String(failed),
          target: '0',
          met: failed === 0,
        },
        {
          what: 'the same: documents done during the load',
          measured: `${whole(donePerSecond)}/s`,
          target: `≥ ${TARGET.donePerSecond}/s`,
          met: donePerSecond >= TARGET.donePerSecond,
        },
        {
          what: 'the same: memory of the server, once a second: under load, in the first and the second half of the drain',
          measured: `at the most ${[rss.loaded, rss.draining, rss.drained].map(megabytes).join(', ')}`,
          target: 'levels off',
          met: rss.drained <= LEVEL * Math.max(rss.loaded, rss.draining),
        },
        {
          what: 'the same: the backlog at the end of the load drains',
          measured: `${whole(backlog)} documents in ${seconds(drainSeconds)}`,
          target: 'drains',
          met: true,
        },
      ],
      raw: { before, adds: measured, after },
    };
  },
};

async function measureEcho(duration: number, progress: BenchOptions['progress']) {
  progress(`echo, ${WARMUP_SECONDS} s and ${duration} s`);
  const echo = await startEcho();
  try {
    const result = await load({ ...loadOf(echo.url), length: { warmup: WARMUP_SECONDS, seconds: duration } });
    if (result.failed > 0) throw new Error(`The echo failed ${result.failed} times`);
    return { rate: result.answered / result.seconds, p99: percentile(result.latencies, 0.99) };
  } finally {
    await echo.stop();
  }
}

async function measureAdds(duration: number, progress: BenchOptions['progress']) {
  progress(`adds, ${WARMUP_SECONDS} s and ${duration} s`);
  const mneme = await Mneme.start();
  const watch = new MemoryWatch(mneme.pid);
  try {
    let doneBefore = Promise.resolve(0);
    let begun = 0;
    const length = { warmup: WARMUP_SECONDS, seconds: duration };
    const result = await load({ ...loadOf(`${mneme.url}/v3/documents`), length }, () => {
      begun = performance.now();
      doneBefore = countDone(mneme);
    });
    const doneAfter = await countDone(mneme);
    const ended = performance.now();
    const backlog = result.answeredInAll - doneAfter;
    const underLoad = watch.samples.length;
    progress(`${whole(result.answeredInAll)} documents added, ${whole(backlog)} of them not done`);
    await drained(mneme, result.answeredInAll);
    return {
      rate: result.answered / result.seconds,
      p50: percentile(result.latencies, 0.5),
      p99: percentile(result.latencies, 0.99),
      slowest: percentile(result.latencies, 1),
      failed: result.failed,
      donePerSecond: (doneAfter - (await doneBefore)) / ((ended - begun) / 1_000),
      backlog,
      drainSeconds: (performance.now() - ended) / 1_000,
      rss: { ...peaks(watch.samples, underLoad), everySecond: watch.samples },
    };
  } finally {
    watch.stop();
    await mneme.stop();
  }
}

/** Returns the peaks under load and in each half of the drain. */
function peaks(samples: readonly number[], underLoad: number) {
  const middle = Math.ceil((underLoad + samples.length) / 2);
  return {
    loaded: Math.max(...samples.slice(0, underLoad)),
    draining: Math.max(...samples.slice(underLoad, middle)),
    drained: Math.max(...samples.slice(middle)),
  };
}

const loadOf = (url: string) => ({ url, key: OWNER_KEY, connections: CONNECTIONS, firstSentence: 0 });
