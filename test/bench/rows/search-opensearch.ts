import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Position } from '#event-store';
import { newId, type OrganizationId } from '#kernel';
import {
  type OpenSearchReader,
  openOpenSearchReader,
  openOpenSearchWriter,
  removeOpenSearchViews,
  SqliteViewsReader,
  SqliteViewsWriter,
  type UnitSearchQuery,
  type ViewsReader,
} from '#views';
import type { BenchOptions, EngineBench, Outcome, Row } from '../support/bench.ts';
import type { Engines } from '../support/engines.ts';
import { below, seededRandom, unitVector } from '../support/random.ts';
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
/** Asked before, so that neither engine is measured cold. */
const WARM_UP = 200;
const WORDS_PER_QUESTION = 5;
const LIMIT = 10;
const CACHE_BYTES = 256 * 1024 * 1024;
const MOST_ADDED_MS = 3;

/** Containers of 1,000 units: OpenSearch and the embedded engine over the same rows, asked in turns through the port. */
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
      const distributed = await openOpenSearchReader({ url, prefix });
      progress('questions are asked');
      const asked = await askBoth(embedded, distributed, organization, units);
      await embedded.close();
      await distributed.close();
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

/** @returns seconds that OpenSearch took for all of it */
async function fill({ url, prefix, path, organization, units, progress }: Filling): Promise<number> {
  const embedded = SqliteViewsWriter.open({ path });
  const distributed = await openOpenSearchWriter({ url, prefix, epoch: 1, holder: 'bench' });
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
    if ((from + step) % 20_000 === 0) progress(`${from + step} of ${units} units are filled in`);
  }
  await embedded.close();
  await distributed.close();
  return spent / 1_000;
}

interface Asked {
  readonly distributed: readonly number[];
  /** Of each of these, what OpenSearch says that it worked. */
  readonly took: readonly number[];
  readonly embedded: readonly number[];
  /** Share of the embedded engine's results that OpenSearch has as well. */
  readonly overlap: number;
}

async function askBoth(
  embedded: ViewsReader,
  distributed: OpenSearchReader,
  organization: OrganizationId,
  units: number,
): Promise<Asked> {
  const asked = {
    distributed: [] as number[],
    took: [] as number[],
    embedded: [] as number[],
    overlaps: [] as number[],
  };
  for (let i = -WARM_UP; i < QUESTIONS; i++) {
    const query = questionOf(organization, units, i);
    const before = distributed.spent.took;
    const begun = performance.now();
    const found = await distributed.search(query);
    const between = performance.now();
    const took = distributed.spent.took - before;
    const wanted = await embedded.search(query);
    if (i < 0) continue;
    asked.distributed.push(between - begun);
    asked.took.push(took);
    asked.embedded.push(performance.now() - between);
    const ids = new Set(wanted.map(({ unit }) => unit.id));
    asked.overlaps.push(found.filter(({ unit }) => ids.has(unit.id)).length / LIMIT);
  }
  return { ...asked, overlap: mean(asked.overlaps) };
}

function questionOf(organization: OrganizationId, units: number, i: number): UnitSearchQuery {
  const random = seededRandom(units + WARM_UP + i);
  const container = below(random, units / UNITS_PER_CONTAINER);
  const words = textOfUnit(container * UNITS_PER_CONTAINER + below(random, UNITS_PER_CONTAINER)).split(' ');
  const from = below(random, Math.max(1, words.length - WORDS_PER_QUESTION));
  return {
    ...{ scope: { organization, tags: [containerName(container)] }, filter: null, filepath: null, documentId: null },
    ...{ kind: 'memory', question: words.slice(from, from + WORDS_PER_QUESTION).join(' '), limit: LIMIT },
    vector: { space: SPACE, values: unitVector(random, DIMENSIONS) },
  };
}

function rowsOf(units: number, filled: number, { distributed, took, embedded, overlap }: Asked): Row[] {
  const added = percentile(
    distributed.map((each, i) => each - (took[i] as number)),
    0.5,
  );
  const what = `search in ${whole(UNITS_PER_CONTAINER)} of ${whole(units)} units`;
  const shown = { target: '', met: null };
  return [
    { what: `${what}, OpenSearch`, measured: quantiles(distributed), ...shown },
    { what: `${what}, what OpenSearch says it worked`, measured: quantiles(took), ...shown },
    { what: `${what}, embedded engine, same run`, measured: quantiles(embedded), ...shown },
    {
      what: `${what}, what our layer adds to OpenSearch`,
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
