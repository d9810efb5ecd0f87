import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Mneme, OWNER_KEY } from '../../support/mneme.ts';
import { type Bench, type BenchOptions, expectStatus, type Outcome } from '../support/bench.ts';
import { LARGE_BODIES, type LargeBody } from '../support/large-bodies.ts';
import { MemoryWatch } from '../support/memory.ts';
import { Probe } from '../support/probe.ts';
import { megabytes, milliseconds, percentile } from '../support/statistics.ts';

const BYTES = 49_000_000;
const TARGET_MS = 50;
const SAMPLE_MS = 50;
/** What is begun by a body goes on after its answer. Milliseconds. */
const AFTER_MS = 500;

interface Measured {
  readonly what: string;
  readonly status: number;
  readonly seconds: number;
  readonly p99: number;
  readonly slowest: number;
  /** Requests that took longer than the target, and all. */
  readonly late: number;
  readonly count: number;
}

/** Answers of the main thread while large bodies of every kind are sent one after the other. */
export const bodies: Bench = {
  name: 'bodies',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const bytes = quick ? 5_000_000 : BYTES;
    const mneme = await Mneme.start();
    const probe = new Probe(mneme.url);
    try {
      const latencies: number[] = [];
      const measured: Measured[] = [];
      const watch = new MemoryWatch(mneme.pid, SAMPLE_MS);
      for (const body of LARGE_BODIES) {
        const made = body.make(bytes);
        await probe.latencies();
        const begun = performance.now();
        const status = await send(mneme, body, made);
        const seconds = (performance.now() - begun) / 1_000;
        await pause(AFTER_MS);
        const during = await probe.latencies();
        expectStatus(status, body.status, body.what);
        latencies.push(...during);
        const slowest = percentile(during, 1);
        const p99 = percentile(during, 0.99);
        const late = during.filter((value) => value > TARGET_MS).length;
        measured.push({ what: body.what, status, seconds, p99, slowest, late, count: during.length });
        progress(
          `${body.what}: ${status} after ${seconds.toFixed(2)} s, p99 ${milliseconds(p99)}, ${late} of ${during.length} late, slowest ${milliseconds(slowest)}`,
        );
      }
      watch.stop();
      const grown = watch.growth;
      const p99 = percentile(latencies, 0.99);
      const worst = measured.reduce((a, b) => (b.p99 > a.p99 ? b : a));
      return {
        rows: [
          {
            what: `GET / every 20 ms while ${LARGE_BODIES.length} bodies of ${megabytes(bytes)} of every kind are sent one after the other`,
            measured:
              `p99 ${milliseconds(p99)}, slowest ${milliseconds(percentile(latencies, 1))} of ${latencies.length}; ` +
              `of one kind at most ${milliseconds(worst.p99)} (${worst.what}); ` +
              `memory grows by at most ${megabytes(grown)}`,
            target: `p99 ≤ ${TARGET_MS} ms`,
            met: p99 <= TARGET_MS,
          },
        ],
        raw: { p99, grown, measured, latencies },
      };
    } finally {
      probe.end();
      await mneme.stop();
    }
  },
};

function send(mneme: Mneme, { path, headers = {} }: LargeBody, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const sending = request(
      mneme.url + path,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${OWNER_KEY}`,
          'content-type': 'application/json',
          'content-length': body.length,
          ...headers,
        },
      },
      (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)),
    );
    sending.on('error', reject);
    sending.end(body);
  });
}
