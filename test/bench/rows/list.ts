import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, type OrganizationId } from '#kernel';
import { type DocumentChange, SqliteViewsWriter } from '#views';
import { Mneme } from '../../support/mneme.ts';
import type { Bench, BenchOptions, Outcome } from '../support/bench.ts';
import { postOn } from '../support/post.ts';
import { below, seededRandom } from '../support/random.ts';
import { milliseconds, percentile, whole } from '../support/statistics.ts';
import { zipfText } from '../support/texts.ts';

const TARGET_MS = 25;
const REQUESTS = 500;
const PAGE = 100;
/** Two equalities on these select one document in twenty. */
const KINDS = 5;
const TEAMS = 4;
const CONTAINERS = 100;
const DOCUMENTS_AT_ONCE = 1_000;
const CREATED_AT = Date.parse('2026-01-01T00:00:00Z');

interface List {
  readonly memories: readonly { readonly metadata: Readonly<Record<string, unknown>> }[];
  readonly pagination: { readonly totalItems: number };
}

/** Random pages of a list with two equality filters over HTTP, one after the other on one connection. */
export const list: Bench = {
  name: 'list',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const documents = quick ? 10_000 : 100_000;
    const folder = await mkdtemp(join(tmpdir(), 'mneme-bench-list-'));
    try {
      await fill(folder, documents, progress);
      const latencies = await measure(folder, documents, progress);
      return outcome(documents, latencies);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

function outcome(documents: number, latencies: readonly number[]): Outcome {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(latencies, share)) as [number, number, number];
  const share = `${100 / KINDS / TEAMS} %`;
  return {
    rows: [
      {
        what: `list page of ${PAGE} among ${whole(documents)} documents over HTTP, two equality filters that select ${share}, ${REQUESTS} random pages`,
        measured: `p50 ${milliseconds(p50)}, p95 ${milliseconds(p95)}, p99 ${milliseconds(p99)}`,
        target: `p95 ≤ ${TARGET_MS} ms`,
        met: p95 <= TARGET_MS,
      },
    ],
    raw: { documents, p50, p95, p99, latencies },
  };
}

/** Writes documents of a sentence to the views; the log holds only the organization. */
async function fill(folder: string, documents: number, progress: BenchOptions['progress']): Promise<void> {
  const mneme = await Mneme.start({ folder });
  const { body } = await mneme.get<{ org: { id: string } }>('/v3/session');
  await mneme.addAndWait('The kettle is in the blue cupboard.');
  await mneme.stop();
  const writer = SqliteViewsWriter.open({ path: join(folder, 'views.db') });
  try {
    const checkpoint = await writer.checkpoint();
    if (writer.opened !== 'found' || checkpoint === null) throw new Error('The views do not exist');
    for (let from = 0; from < documents; from += DOCUMENTS_AT_ONCE) {
      const batch = Array.from({ length: DOCUMENTS_AT_ONCE }, (_, i) =>
        documentOf(body.org.id as OrganizationId, from + i),
      );
      await writer.apply(batch, checkpoint);
    }
  } finally {
    await writer.close();
  }
  progress(`${documents} documents written`);
}

/** Everything but the ids follows from the number of the document. */
function documentOf(organization: OrganizationId, number: number): DocumentChange {
  const random = seededRandom(number);
  const text = zipfText(random);
  const at = CREATED_AT + number * 1_000;
  const metadata = {
    kind: `kind-${below(random, KINDS)}`,
    team: `team-${below(random, TEAMS)}`,
    author: `user ${below(random, 1_000)}`,
    turns: below(random, 50),
    isPinned: below(random, 2) === 0,
  };
  return {
    kind: 'upsert',
    row: {
      ...{
        organization,
        id: newId(),
        customId: `custom-${number}`,
        tags: [`container-${number % CONTAINERS}`],
        metadata,
      },
      ...{ stage: 'done', error: null, contentVersion: 1, title: text, summary: text, type: 'text', url: null },
      ...{ source: 'api', filepath: `/folder-${number % 50}/${number}.md`, taskType: 'memory', documentDate: null },
      ...{ vectorSpaces: [], createdAt: at, updatedAt: at, revision: 0 },
    },
    units: { units: [{ id: newId(), kind: 'memory', ordinal: 0, text, speaker: null }], header: '', vectors: null },
  };
}

async function measure(
  folder: string,
  documents: number,
  progress: BenchOptions['progress'],
): Promise<readonly number[]> {
  const mneme = await Mneme.start({ folder });
  const connection = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    progress(`requesting ${REQUESTS} pages`);
    const random = seededRandom(documents);
    const latencies: number[] = [];
    for (let i = 0; i < REQUESTS; i++) {
      const wanted = { kind: `kind-${below(random, KINDS)}`, team: `team-${below(random, TEAMS)}` };
      const request = {
        filters: { AND: Object.entries(wanted).map(([key, value]) => ({ key, value })) },
        ...{ limit: PAGE, page: 1 + below(random, Math.floor(documents / KINDS / TEAMS / PAGE / 2)) },
        ...{ sort: i % 2 === 0 ? 'createdAt' : 'updatedAt', order: i % 3 === 0 ? 'asc' : 'desc' },
      };
      const begun = performance.now();
      const answer = await postOn<List>(mneme, connection, '/v3/documents/list', request);
      latencies.push(performance.now() - begun);
      checkPage(answer, wanted, documents);
    }
    return latencies;
  } finally {
    connection.destroy();
    await mneme.stop();
  }
}

function checkPage({ memories, pagination }: List, wanted: Readonly<Record<string, string>>, documents: number): void {
  const matching = memories.filter(({ metadata }) =>
    Object.entries(wanted).every(([key, value]) => metadata[key] === value),
  );
  const share = pagination.totalItems / documents;
  if (matching.length !== PAGE || share < 0.5 / KINDS / TEAMS || share > 1.5 / KINDS / TEAMS) {
    throw new Error(`${matching.length} of ${pagination.totalItems} documents match`);
  }
}
