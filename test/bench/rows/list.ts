import { Agent } from 'node:http';
import type { Mneme } from '../../support/mneme.ts';
import type { BenchOptions, Outcome } from '../support/bench.ts';
import { accepted, drained } from '../support/documents.ts';
import type { Installation, InstallationBench } from '../support/installations.ts';
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
const DOCUMENTS_AT_ONCE = 500;
const TIMEOUT_MS = 3_600_000;

interface List {
  readonly memories: readonly { readonly metadata: Readonly<Record<string, unknown>> }[];
  readonly pagination: { readonly totalItems: number };
}

/** Random pages of a list with two equality filters over HTTP, one after the other on one connection. */
export const list: InstallationBench = {
  name: 'list',
  async run({ quick, progress }: BenchOptions, installation: Installation): Promise<Outcome> {
    const documents = quick ? 10_000 : 100_000;
    const filled = await installation.start();
    try {
      await fill(filled, documents, progress);
    } finally {
      await filled.stop();
    }
    const mneme = await installation.start();
    try {
      progress(`requesting ${REQUESTS} pages`);
      return outcome(documents, await measure(mneme, documents));
    } finally {
      await mneme.stop();
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

async function fill(mneme: Mneme, documents: number, progress: BenchOptions['progress']): Promise<void> {
  for (let from = 0; from < documents; from += DOCUMENTS_AT_ONCE) {
    const batch = Array.from({ length: DOCUMENTS_AT_ONCE }, (_, i) => documentOf(from + i));
    const { success } = await accepted<{ success: number }>(mneme, '/v3/documents/batch', { documents: batch });
    if (success !== batch.length) throw new Error(`${success} of ${batch.length} documents were accepted`);
    if ((from + DOCUMENTS_AT_ONCE) % 10_000 === 0) progress(`${from + DOCUMENTS_AT_ONCE} of ${documents} added`);
  }
  progress('waiting until they are done');
  await drained(mneme, documents, { everyMs: 1_000, timeoutMs: TIMEOUT_MS });
}

/** Everything follows from the number of the document. */
function documentOf(number: number): object {
  const random = seededRandom(number);
  return {
    content: zipfText(random),
    containerTag: `container-${number % CONTAINERS}`,
    filepath: `/folder-${number % 50}/${number}.md`,
    metadata: {
      kind: `kind-${below(random, KINDS)}`,
      team: `team-${below(random, TEAMS)}`,
      author: `user ${below(random, 1_000)}`,
      turns: below(random, 50),
      isPinned: below(random, 2) === 0,
    },
  };
}

async function measure(mneme: Mneme, documents: number): Promise<readonly number[]> {
  const connection = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
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
