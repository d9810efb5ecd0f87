import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '#platform/kernel';
import { SqliteAnalytics } from '../../../libs/ports/analytics/src/adapters/sqlite/sqlite-analytics.ts';
import { countIn, DAY_MS, HOUR_MS, type Period } from '../../../libs/ports/analytics/src/period.ts';
import { type LoggedRequest, REQUEST_TYPES } from '../../../libs/ports/analytics/src/request.ts';
import { Mneme, OWNER_KEY } from '../../support/mneme.ts';
import { type Bench, type BenchOptions, expectStatus, type Outcome } from '../support/bench.ts';
import { drained } from '../support/documents.ts';
import { load } from '../support/load.ts';
import { below, seededRandom } from '../support/random.ts';
import { median, milliseconds, percent, percentile, sum, whole } from '../support/statistics.ts';

const REQUESTS = 1_000_000;
const DAYS = 90;
const KEYS = 10;
const TARGET_MS = 100;
/** Of each question; an organization may ask 100 a minute. */
const REPETITIONS = 12;
const WARM_UP = 4;

/** Every question about a million requests of 90 days. */
export const analytics: Bench = {
  name: 'analytics',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const requests = quick ? 20_000 : REQUESTS;
    const folder = await mkdtemp(join(tmpdir(), 'mneme-bench-analytics-'));
    let mneme = await Mneme.start({ folder });
    try {
      const { orgId } = (await mneme.get<{ orgId: string }>('/v3/me')).body;
      await mneme.kill('SIGTERM');
      progress(`recording ${whole(requests)} requests`);
      await fill(join(folder, 'analytics.db'), orgId, requests);
      mneme = await mneme.restart();
      const from = new Date(Date.now() - DAYS * DAY_MS + HOUR_MS).toISOString();
      const rows = [];
      const raw: Record<string, readonly number[]> = {};
      for (const [what, query] of [
        ['usage', `usage?from=${from}`],
        ['errors', `errors?from=${from}`],
        ['a page of logs', `logs?from=${from}`],
        ['a page of logs with a rare status', `logs?from=${from}&statusCode=503&limit=100`],
        ['the last page of logs', `logs?from=${from}&page=${Math.floor(requests / 100)}&limit=100`],
        ['memory', 'memory?period=30d'],
      ] as const) {
        const latencies: number[] = [];
        for (let i = 0; i < WARM_UP + REPETITIONS; i += 1) {
          const begun = performance.now();
          expectStatus((await mneme.get(`/v3/analytics/${query}`)).status, 200, query);
          if (i >= WARM_UP) latencies.push(performance.now() - begun);
        }
        raw[what] = latencies;
        const [p50, slowest] = [percentile(latencies, 0.5), percentile(latencies, 1)];
        rows.push({
          what: `analytics, ${what}, of ${whole(requests)} requests in ${DAYS} days with ${KEYS} keys`,
          measured: `p50 ${milliseconds(p50)}, slowest ${milliseconds(slowest)}`,
          target: `≤ ${TARGET_MS} ms`,
          met: slowest <= TARGET_MS,
        });
      }
      return { rows, raw };
    } finally {
      await mneme.stop();
      await rm(folder, { recursive: true });
    }
  },
};

async function fill(path: string, organization: string, requests: number): Promise<void> {
  const store = await SqliteAnalytics.open(path);
  const random = seededRandom(7);
  const keys = Array.from({ length: KEYS }, () => newId());
  const hours = DAYS * 24;
  const now = Date.now();
  const begin = now - (now % HOUR_MS) - (hours - 1) * HOUR_MS;
  const period = (grain: Period['grain'], at: number): Period => ({
    ...{ id: newId(), organization, grain, at },
    ...{ types: {}, keys: {}, hours: {} },
  });
  let day = period('day', 0);
  for (let i = 0; i < hours; i += 1) {
    const at = begin + i * HOUR_MS;
    const hour = period('hour', at);
    if (day.at !== at - (at % DAY_MS)) day = period('day', at - (at % DAY_MS));
    const logged = Array.from({ length: Math.ceil(requests / hours) }, (_, n): LoggedRequest => {
      const failure = below(random, 1_000);
      const [status, code] =
        failure === 0 ? [503, 'unavailable'] : failure < 20 ? [400, 'invalid_request'] : [200, null];
      const time = at + Math.floor((n * HOUR_MS * hours) / (requests + hours));
      return {
        ...{
          organization,
          id: newId(),
          at: Math.min(time, at + HOUR_MS - 1),
          keyId: keys[below(random, KEYS)] as string,
        },
        ...{ type: REQUEST_TYPES[below(random, REQUEST_TYPES.length)] as LoggedRequest['type'] },
        ...{ method: 'POST', route: '/v3/documents', status: status as number, code: code as string | null },
        ...{ milliseconds: 0.5 + random() ** 4 * 500, bytesIn: below(random, 4_000), bytesOut: below(random, 9_000) },
      };
    });
    for (const one of logged) {
      countIn(hour, one, one.at);
      countIn(day, one, one.at);
    }
    await store.write(logged, [hour, day]);
  }
  await store.close();
}

const TURNS = 9;
const CONNECTIONS = 16;
/** Of a turn: with analytics (0) and without (1), so ordered that a machine that becomes slower or faster disturbs both alike. */
const SLICES = [0, 1, 1, 0, 0, 1, 1, 0] as const;
const SLICE = { warmup: 0.5, seconds: 1.5 };
const TARGET_COST = 0.03;
/** Among which searches find. */
const DOCUMENTS = 4_000;

/** Adds, and searches by words, with and without analytics, in turns. */
export const analyticsCost: Bench = {
  name: 'analytics-cost',
  onRequest: true,
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const rows = [];
    const raw: Record<string, unknown> = {};
    for (const [what, path, asks] of [
      ['adds', '/v3/documents', false],
      ['searches by words', '/v4/search', true],
    ] as const) {
      const servers = [await Mneme.start(), await Mneme.start({ env: { MNEME_ANALYTICS_MB: '0' } })] as const;
      const rates: [number[], number[]] = [[], []];
      const costs: [number[], number[]] = [[], []];
      const added = [0, 0];
      try {
        if (asks) await Promise.all(servers.map((server) => addDocuments(server, quick ? 400 : DOCUMENTS)));
        for (let turn = 0; turn < (quick ? 2 : TURNS); turn += 1) {
          const slices: Slice[][] = [[], []];
          for (const one of SLICES) {
            const server = servers[one];
            const slice = await measured(server, path, asks);
            slices[one]?.push(slice);
            added[one] = (added[one] as number) + slice.answeredInAll;
            if (!asks) await drained(server, added[one] as number);
          }
          for (const [one, of] of slices.entries()) {
            rates[one]?.push(sum(of.map(({ answered }) => answered)) / sum(of.map(({ seconds }) => seconds)));
            costs[one]?.push(sum(of.map(({ processor }) => processor)) / sum(of.map((slice) => slice.answeredInAll)));
          }
          progress(`${what}, turn ${turn + 1}: ${rates.map((of) => whole(of.at(-1) as number)).join(' and ')}/s`);
        }
      } finally {
        for (const server of servers) await server.stop();
      }
      const [on, off] = rates.map(median) as [number, number];
      const ratios = rates[0].map((rate, i) => rate / (rates[1][i] as number));
      const ratio = median(ratios);
      const cost = median(costs[0].map((one, i) => one / (costs[1][i] as number)));
      raw[what] = { on: rates[0], off: rates[1], ratios, processorSeconds: costs };
      rows.push({
        what: `${what} with analytics as a share of those without, median of ${ratios.length} turns`,
        measured: `${percent(ratio)}: ${whole(on)}/s of ${whole(off)}/s`,
        target: `≥ ${percent(1 - TARGET_COST)}`,
        met: ratio >= 1 - TARGET_COST,
      });
      rows.push({
        what: 'the same: processor time of the server for a request, which other programs on the machine disturb less',
        measured: percent(cost),
        target: `≤ ${percent(1 + TARGET_COST)}`,
        met: cost <= 1 + TARGET_COST,
      });
    }
    return { rows, raw };
  },
};

interface Slice {
  readonly answered: number;
  readonly answeredInAll: number;
  readonly seconds: number;
  /** Seconds of the server's processor time. */
  readonly processor: number;
}

async function measured({ url, pid }: Mneme, path: string, asks: boolean): Promise<Slice> {
  const request = { url: url + path, key: OWNER_KEY, connections: CONNECTIONS, firstSentence: 0, length: SLICE };
  const before = processorSeconds(pid);
  const result = await load({ ...request, ...(asks && { asks }) });
  if (result.failed > 0) throw new Error(`${path} failed ${result.failed} times`);
  return { ...result, processor: processorSeconds(pid) - before };
}

async function addDocuments(mneme: Mneme, requests: number): Promise<void> {
  const adds = { url: `${mneme.url}/v3/documents`, key: OWNER_KEY, connections: CONNECTIONS, firstSentence: 0 };
  const { answeredInAll } = await load({ ...adds, length: { requests } });
  await drained(mneme, answeredInAll);
}

/** Of all threads of a process, in user and system mode. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Of Linux, on every usual machine. */
const TICKS_PER_SECOND = 100;
