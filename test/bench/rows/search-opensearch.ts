import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, type OrganizationId } from '#platform/kernel';
import type { Position } from '#ports/event-store';
import {
  openOpenSearchReader,
  openOpenSearchWriter,
  removeOpenSearchViews,
  SqliteViewsReader,
  SqliteViewsWriter,
  type UnitSearchQuery,
  type ViewsReader,
} from '#read-side/views';
import type { BenchOptions, EngineBench, Outcome, Row } from '../support/bench.ts';
import type { Engines } from '../support/engines.ts';
import { below, seededRandom, unitVector } from '../support/random.ts';
import { type RecordedRequest, startRequestRecorder } from '../support/request-recorder.ts';
import {
  containerName,
  DIMENSIONS,
  documentOf,
  textOfUnit,
  UNITS_PER_CONTAINER,
  UNITS_PER_DOCUMENT,
} from '../support/search-folder.ts';
import { mean, milliseconds, percentile, seconds, whole } from '../support/statistics.ts';

const SPACE = 'bench.1.384';
const DOCUMENTS_AT_ONCE = 400;
const QUESTIONS = 500;
/** Queries before the requests are recorded, so that neither engine is measured cold. */
const WARM_UP = 500;
const WORDS_PER_QUESTION = 5;
const LIMIT = 10;
const CACHE_BYTES = 256 * 1024 * 1024;
const MOST_ADDED_MS = 3;

/**
 * Searches containers of 1,000 units over the same rows, alternating: OpenSearch through the port, OpenSearch by the bare
 * requests that the port sent, and the embedded engine.
 */
export const searchOpenSearch: EngineBench = {
  name: 'search-opensearch',
  async run({ quick, progress }: BenchOptions, { openSearchUrl: url }: Engines): Promise<Outcome> {
    const units = quick ? 10_000 : 100_000;
    const prefix = `bench-${randomBytes(6).toString('hex')}`;
    const folder = await mkdtemp(join(tmpdir(), 'mneme-bench-opensearch-'));
    const organization = newId() as OrganizationId;
    try {
      const filled = await fill({ url, prefix, path: join(folder, 'views.db'), organization, units, progress });
      const embedded = SqliteViewsReader.open({ path: join(folder, 'views.db'), cacheBytes: CACHE_BYTES });
      progress('recording the requests');
      const recorded = await record({ url, prefix }, organization, units);
      progress('running the queries');
      const asked = await askAll({ embedded, url, prefix, recorded }, organization, units);
      await embedded.close();
      return { rows: rowsOf(units, filled, asked), raw: { units, filled, ...asked } };
    } finally {
      await removeOpenSearchViews({ url, prefix });
      await rm(folder, { recursive: true });
    }
  },
};

interface Filling {
  readonly url: string;
  readonly prefix: string;
  readonly path: string;
  readonly organization: OrganizationId;
  readonly units: number;
  readonly progress: BenchOptions['progress'];
}

/** @returns seconds for all rows */
async function fill({ url, prefix, path, organization, units, progress }: Filling): Promise<number> {
  const embedded = SqliteViewsWriter.open({ path });
  const distributed = await openOpenSearchWriter({ url, prefix, fencingToken: 1, holder: 'bench' });
  let spent = 0;
  const step = UNITS_PER_DOCUMENT * DOCUMENTS_AT_ONCE;
  for (let from = 0; from < units; from += step) {
    const documents = Array.from({ length: DOCUMENTS_AT_ONCE }, (_, i) =>
      documentOf(organization, SPACE, from + i * UNITS_PER_DOCUMENT),
    );
    await embedded.apply(documents, 'filled' as Position);
    const begun = performance.now();
    await distributed.apply(documents, 'filled' as Position);
    spent += performance.now() - begun;
    if ((from + step) % 20_000 === 0) progress(`${from + step} of ${units} units written`);
  }
  await embedded.close();
  await distributed.close();
  return spent / 1_000;
}

/** @returns the requests of each query */
async function record(
  { url, prefix }: { readonly url: string; readonly prefix: string },
  organization: OrganizationId,
  units: number,
): Promise<readonly (readonly RecordedRequest[])[]> {
  const recorder = await startRequestRecorder(url);
  const reader = await openOpenSearchReader({ url: recorder.url, prefix });
  try {
    const recorded: (readonly RecordedRequest[])[] = [];
    for (let i = -WARM_UP; i < QUESTIONS; i++) {
      recorder.take();
      await reader.search(questionOf(organization, units, i));
      if (i >= 0) recorded.push(recorder.take());
    }
    return recorded;
  } finally {
    await reader.close();
    recorder.close();
  }
}

interface Measurement {
  readonly distributed: readonly number[];
  /** Milliseconds of the same requests sent by a bare client, per query. */
  readonly bare: readonly number[];
  /** `took` of OpenSearch per query in whole milliseconds, without its HTTP and JSON. */
  readonly took: readonly number[];
  readonly embedded: readonly number[];
  /** Share of the embedded engine's results that OpenSearch returns too. */
  readonly overlap: number;
}

interface Engine {
  readonly embedded: ViewsReader;
  readonly url: string;
  readonly prefix: string;
  readonly recorded: readonly (readonly RecordedRequest[])[];
}

async function askAll(
  { embedded, url, prefix, recorded }: Engine,
  organization: OrganizationId,
  units: number,
): Promise<Measurement> {
  const distributed = await openOpenSearchReader({ url, prefix });
  const agent = new Agent({ keepAlive: true });
  const asked = {
    distributed: [] as number[],
    bare: [] as number[],
    took: [] as number[],
    embedded: [] as number[],
    overlaps: [] as number[],
  };
  try {
    for (const [i, requests] of recorded.entries()) {
      const query = questionOf(organization, units, i);
      const throughPort = async () => {
        const before = distributed.spent.took;
        const [hits, whole] = await timed(() => distributed.search(query));
        asked.took.push(distributed.spent.took - before);
        asked.distributed.push(whole);
        return hits;
      };
      const bare = async () => {
        const [, whole] = await timed(async () => {
          for (const each of requests) await send(agent, url, each);
        });
        asked.bare.push(whole);
      };
      // The second client has warm processor caches, so the order alternates.
      if (i % 2 === 0) await bare();
      const found = await throughPort();
      if (i % 2 === 1) await bare();
      const [wanted, own] = await timed(() => embedded.search(query));
      asked.embedded.push(own);
      const ids = new Set(wanted.map(({ unit }) => unit.id));
      asked.overlaps.push(found.filter(({ unit }) => ids.has(unit.id)).length / LIMIT);
    }
  } finally {
    agent.destroy();
    await distributed.close();
  }
  return { ...asked, overlap: mean(asked.overlaps) };
}

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const begun = performance.now();
  const result = await work();
  return [result, performance.now() - begun];
}

const send = (agent: Agent, url: string, { method, path, headers, body }: RecordedRequest): Promise<void> =>
  new Promise((resolve, reject) => {
    const asked = request(new URL(path, url), { method, headers, agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`a bare request was answered with ${answer.statusCode}`));
      answer.resume().on('end', resolve).on('error', reject);
    });
    asked.on('error', reject).end(body);
  });

function questionOf(organization: OrganizationId, units: number, i: number): UnitSearchQuery {
  const random = seededRandom(units + WARM_UP + i);
  const container = below(random, units / UNITS_PER_CONTAINER);
  const words = textOfUnit(container * UNITS_PER_CONTAINER + below(random, UNITS_PER_CONTAINER)).split(' ');
  const from = below(random, Math.max(1, words.length - WORDS_PER_QUESTION));
  return {
    ...{ scope: { organization, tags: [containerName(container)] }, filter: null, filepath: null, documentId: null },
    ...{ kind: 'memory', question: words.slice(from, from + WORDS_PER_QUESTION).join(' '), limit: LIMIT },
    vectors: [{ space: SPACE, values: unitVector(random, DIMENSIONS) }],
  };
}

function rowsOf(units: number, filled: number, { distributed, bare, took, embedded, overlap }: Measurement): Row[] {
  const added = percentile(
    distributed.map((each, i) => each - (bare[i] as number)),
    0.5,
  );
  const what = `search in ${whole(UNITS_PER_CONTAINER)} of ${whole(units)} units`;
  const shown = { target: '', met: null };
  return [
    { what: `${what}, OpenSearch`, measured: quantiles(distributed), ...shown },
    { what: `${what}, the same requests by a bare client`, measured: quantiles(bare), ...shown },
    { what: `${what}, \`took\` of OpenSearch`, measured: quantiles(took), ...shown },
    { what: `${what}, embedded engine, same run`, measured: quantiles(embedded), ...shown },
    {
      what: `${what}, overhead of our layer over OpenSearch, bare client`,
      measured: `p50 ${milliseconds(added)}`,
      target: `≤ ${MOST_ADDED_MS} ms`,
      met: added <= MOST_ADDED_MS,
    },
    { what: `${what}, overlap@${LIMIT} with the embedded engine`, measured: overlap.toFixed(3), ...shown },
    {
      what: `${whole(units)} units into OpenSearch`,
      measured: `${seconds(filled)}: ${whole(units / filled)}/s`,
      ...shown,
    },
  ];
}

const quantiles = (values: readonly number[]): string =>
  [0.5, 0.95, 0.99].map((share) => `p${share * 100} ${milliseconds(percentile(values, share))}`).join(', ');
