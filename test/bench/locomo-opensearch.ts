/**
 * Compares OpenSearch with the embedded engine: LoCoMo's questions to both, over the same rows and vectors.
 *
 *   LOCOMO_JSON=/path/to/locomo10.json MNEME_TEST_OPENSEARCH_URL=http://127.0.0.1:9200 node test/bench/locomo-opensearch.ts
 *
 * A server with embedded engines adds and embeds the sessions; the rows of its views are then copied to OpenSearch through
 * the port. Prints overlap@10 and the recall of each engine; OpenSearch scans, and selects candidates as in a larger scope.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coreOf } from '#features/search';
import { embeddedTexts, findVectors } from '#features/vector-spaces/model';
import type { OrganizationId } from '#platform/kernel';
import type { Position } from '#ports/event-store';
import { openBareModel } from '#ports/models';
import { openVectorReader, type VectorReader } from '#ports/vector-store';
import { documentHeader } from '#processing/extraction';
import {
  type DocumentChange,
  type DocumentRow,
  openOpenSearchReader,
  openOpenSearchWriter,
  removeOpenSearchViews,
  SqliteViewsReader,
  type UnitSearchQuery,
  type ViewsReader,
} from '#read-side/views';
import { Mneme } from '../support/mneme.ts';
import { addConversations, TUNING } from './locomo-conversations.ts';
import { type Conversation, readLocomo } from './locomo-data.ts';
import { type QueryResult, type Score, score } from './locomo-score.ts';
import { modelReady } from './support/documents.ts';
import { findModel } from './support/model.ts';
import { milliseconds, percentile } from './support/statistics.ts';

const LIMIT = 10;
const MODEL_TIMEOUT_MS = 120_000;
const CACHE_BYTES = 2 ** 28;
const TARGETS = { overlap: 0.9, recallLoss: 0.02 };

interface Comparison {
  readonly overlaps: readonly number[];
  readonly embedded: readonly QueryResult[];
  readonly distributed: readonly QueryResult[];
  readonly latencies: readonly number[];
}

async function run(path: string, url: string): Promise<void> {
  const conversations = readLocomo(await readFile(path, 'utf8'), TUNING);
  const folder = await mkdtemp(join(tmpdir(), 'mneme-locomo-'));
  const prefix = `locomo-${randomBytes(6).toString('hex')}`;
  try {
    const organization = await ingest(folder, conversations);
    const embedded = SqliteViewsReader.open({ path: join(folder, 'views.db'), cacheBytes: CACHE_BYTES });
    const vectors = openVectorReader(join(folder, 'vectors.db'));
    await copy(embedded, vectors, organization, { url, prefix });
    const scanning = await openOpenSearchReader({ url, prefix });
    const picking = await openOpenSearchReader({ url, prefix, mostScanned: 0 });
    print('with vectors', await compare(embedded, scanning, organization, conversations, true));
    print('with vectors, by candidates', await compare(embedded, picking, organization, conversations, true));
    print('by words alone', await compare(embedded, scanning, organization, conversations, false));
    vectors.close();
    await Promise.all([embedded, scanning, picking].map((reader) => reader.close()));
  } finally {
    await removeOpenSearchViews({ url, prefix });
    await rm(folder, { recursive: true, force: true });
  }
}

async function ingest(folder: string, conversations: readonly Conversation[]): Promise<OrganizationId> {
  const env = { MNEME_EMBEDDING: 'local', MNEME_MODELS: (await findModel()).folder };
  const mneme = await Mneme.start({ folder, env });
  try {
    await modelReady(mneme, MODEL_TIMEOUT_MS);
    await addConversations(mneme, conversations);
    const { body } = await mneme.get<{ org: { id: string } }>('/v3/session');
    return body.org.id as OrganizationId;
  } finally {
    await mneme.stop();
  }
}

/** Copies rows, units and vectors of the embedded views. */
async function copy(
  from: ViewsReader,
  vectors: VectorReader,
  organization: OrganizationId,
  to: { readonly url: string; readonly prefix: string },
): Promise<void> {
  const writer = await openOpenSearchWriter({ ...to, fencingToken: 1, holder: 'locomo' });
  try {
    const everything = { scope: { organization, tags: 'all' }, filter: null, filepath: null } as const;
    const anyStage = { stages: null, sort: 'createdAt', order: 'asc' } as const;
    const { rows } = await from.list({ ...everything, ...anyStage, offset: 0, limit: 10_000 });
    for (const row of rows) await writer.apply([await changeOf(from, vectors, row)], 'copied' as Position);
  } finally {
    await writer.close();
  }
}

async function changeOf(from: ViewsReader, vectors: VectorReader, row: DocumentRow): Promise<DocumentChange> {
  const ordinals = Array.from({ length: 10_000 }, (_, i) => i);
  const kinds = (['chunk', 'memory'] as const).map((kind) => ({ documentId: row.id, kind, ordinals }));
  const found = await from.units({ organization: row.organization, tags: 'all' }, kinds);
  const units = found.map(({ unit }) => unit);
  const formed = { organization: row.organization, unitsDate: row.documentDate };
  const [pairs] = await findVectors(vectors, [embeddedTexts(row.vectorSpaces[0] as string, formed, units).keys]);
  if (!pairs) throw new Error(`Document ${row.id} has no vectors`);
  return { kind: 'upsert', row, units: { units, header: documentHeader(row.documentDate), vectors: pairs } };
}

async function compare(
  embedded: ViewsReader,
  distributed: ViewsReader,
  organization: OrganizationId,
  conversations: readonly Conversation[],
  withVectors: boolean,
): Promise<Comparison> {
  const { files, space } = await findModel();
  const model = await openBareModel(files);
  const compared = {
    overlaps: [] as number[],
    embedded: [] as QueryResult[],
    distributed: [] as QueryResult[],
    latencies: [] as number[],
  };
  for (const { name, questions } of conversations) {
    for (const question of questions) {
      const embed = (text: string) => model.embed('query', [text]);
      const asked = { values: await embed(question.text), core: await embed(coreOf(question.text)) };
      const vectors = withVectors ? [{ space, ...asked }] : [];
      const query: UnitSearchQuery = {
        ...{ scope: { organization, tags: [name] }, filter: null, filepath: null, documentId: null },
        ...{ kind: 'memory', question: question.text, vectors, limit: LIMIT },
      };
      const wanted = await embedded.search(query);
      const begun = performance.now();
      const found = await distributed.search(query);
      compared.latencies.push(performance.now() - begun);
      const ids = new Set(wanted.map(({ unit }) => unit.id));
      compared.overlaps.push(found.filter(({ unit }) => ids.has(unit.id)).length / Math.max(1, wanted.length));
      compared.embedded.push({ question, results: wanted.map(({ unit }) => unit.text) });
      compared.distributed.push({ question, results: found.map(({ unit }) => unit.text) });
    }
  }
  await model.close();
  return compared;
}

function print(name: string, { overlaps, embedded, distributed, latencies }: Comparison): void {
  const overlap = overlaps.reduce((sum, each) => sum + each, 0) / overlaps.length;
  const [one, other] = [score(embedded), score(distributed)];
  console.log(`LoCoMo ${name}: ${overlaps.length} questions, overlap@${LIMIT} ${overlap.toFixed(3)}`);
  console.table([figures('embedded', one), figures('OpenSearch', other)]);
  console.log(
    `OpenSearch: p50 ${milliseconds(percentile(latencies, 0.5))}, p95 ${milliseconds(percentile(latencies, 0.95))}`,
  );
  verdict('overlap@10', overlap >= TARGETS.overlap);
  verdict('R@10', Math.abs(one.all.recallAt10 - other.all.recallAt10) <= TARGETS.recallLoss);
}

const figures = (engine: string, { all }: Score) => ({
  engine,
  'R@1': all.recallAt1.toFixed(3),
  'R@5': all.recallAt5.toFixed(3),
  'R@10': all.recallAt10.toFixed(3),
});

const verdict = (name: string, reached: boolean): void => console.log(`${reached ? 'reached' : 'MISSED '}  ${name}`);

const path = process.env.LOCOMO_JSON;
const url = process.env.MNEME_TEST_OPENSEARCH_URL;
if (path && url) await run(path, url);
else console.warn('LoCoMo on OpenSearch is SKIPPED: it needs LOCOMO_JSON and MNEME_TEST_OPENSEARCH_URL');
