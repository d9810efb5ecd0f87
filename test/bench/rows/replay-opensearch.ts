import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@opensearch-project/opensearch';
import { openStorage, openViews } from '#composition/runtime';
import { DEFAULT_GROUP } from '#features/vector-spaces';
import { openOpenSearchWriter, removeOpenSearchViews } from '#read-side/views';
import type { BenchOptions, EngineBench, Outcome } from '../support/bench.ts';
import type { Engines } from '../support/engines.ts';
import { type WrittenLog, writeLog } from '../support/log.ts';
import { startRequestRecorder } from '../support/request-recorder.ts';
import { median, percent, whole } from '../support/statistics.ts';

const SHARE = 0.7;
const CACHE_BYTES = 256 * 1024 * 1024;
const TIMEOUT_MS = 300_000;
/** Concurrent bulks, as in the writer of the views. */
const BULKS_AT_ONCE = 2;

/** Rebuild of the views in OpenSearch from a log in SQLite, compared with the same bulks sent by a bare client. */
export const replayOpenSearch: EngineBench = {
  name: 'replay-opensearch',
  async run({ quick, progress }: BenchOptions, { openSearchUrl }: Engines): Promise<Outcome> {
    const [documents, turns] = quick ? [2_000, 1] : [6_000, 5];
    const folder = await mkdtemp(join(tmpdir(), 'mneme-bench-replay-'));
    const prefix = `bench-${randomBytes(6).toString('hex')}`;
    const client = new Client({ node: openSearchUrl });
    try {
      progress(`writing a log of ${whole(documents)} documents`);
      const log = await writeLog(folder, documents, progress);
      progress('recording the bulks of a replay');
      const bulks = await record(folder, log, openSearchUrl, prefix);
      const indices = await indicesOf(client, prefix);
      const took = { replay: [] as number[], bare: [] as number[] };
      for (let turn = 0; turn < turns; turn++) {
        await removeOpenSearchViews({ url: openSearchUrl, prefix });
        took.replay.push(await replay(folder, log, openSearchUrl, prefix));
        await removeOpenSearchViews({ url: openSearchUrl, prefix });
        took.bare.push(await sendBare(client, indices, bulks));
        progress(
          `turn ${turn + 1} of ${turns}: ${took.replay.at(-1)?.toFixed(2)} s, bare ${took.bare.at(-1)?.toFixed(2)} s`,
        );
      }
      return outcome(log, turns, took);
    } finally {
      await removeOpenSearchViews({ url: openSearchUrl, prefix });
      await client.close();
      await rm(folder, { recursive: true });
    }
  },
};

interface Took {
  readonly replay: readonly number[];
  readonly bare: readonly number[];
}

function outcome({ documents, units }: WrittenLog, turns: number, took: Took): Outcome {
  const rows = documents + units;
  const [replayed, bare] = [rows / median(took.replay), rows / median(took.bare)];
  const share = replayed / bare;
  const of = turns === 1 ? '' : `; median of ${turns} in turns`;
  return {
    rows: [
      {
        what:
          `replay into OpenSearch, log in SQLite, ${whole(documents)} documents of a sentence, vectors cached, ` +
          `as a share of the bare client sending the same bulks${of}`,
        measured: `${percent(share)}: ${whole(replayed)} rows/s of ${whole(bare)}/s, ${whole(rows)} rows`,
        target: `≥ ${percent(SHARE)}`,
        met: share >= SHARE,
      },
    ],
    raw: { documents, rows, took, share },
  };
}

/** Runs a replay and returns the bodies of its bulks; the views are kept. */
async function record(folder: string, log: WrittenLog, url: string, prefix: string): Promise<readonly string[]> {
  const recorder = await startRequestRecorder(url);
  try {
    await replay(folder, log, recorder.url, prefix);
    const bulks = recorder.take().flatMap(({ path, body }) => (path.startsWith('/_bulk') ? [body] : []));
    const rows = bulks.reduce((sum, body) => sum + body.split('\n').length - 1, 0) / 2;
    if (rows !== log.documents + log.units)
      throw new Error(`${rows} rows were sent instead of ${log.documents + log.units}`);
    return bulks;
  } finally {
    recorder.close();
  }
}

/** @returns seconds from empty views to the head of the log, by the projection thread of a worker */
async function replay(folder: string, { documents, organization }: WrittenLog, url: string, prefix: string) {
  // The indices exist before the measurement, as for the bare client.
  await (
    await openOpenSearchWriter({ url, prefix, fencingToken: 0, holder: 'bench', space: DEFAULT_GROUP.initialSpace })
  ).close();
  const storage = await openStorage(
    {
      ...{ dataFolder: folder, cacheBytes: CACHE_BYTES, prefix },
      ...{ eventStoreUrl: null, natsUrl: null, openSearchUrl: url },
    },
    console.warn,
  );
  const faults: string[] = [];
  const logger = { info: () => {}, warn: () => {}, error: (message: string) => faults.push(message) };
  const views = await openViews(storage, { logger });
  const stopping = new AbortController();
  try {
    const head = await storage.store.head();
    const begun = performance.now();
    const following = views.follow({ fencingToken: 1, signal: stopping.signal });
    const reached = await views.progress.reached(head, TIMEOUT_MS);
    const took = (performance.now() - begun) / 1_000;
    if (!reached || faults.length > 0) throw new Error(`The views did not reach the head: ${faults.join('; ')}`);
    const { total } = await views.reader.list({
      ...{ scope: { organization, tags: 'all' }, filter: null, filepath: null },
      ...{ stages: ['done'], sort: 'createdAt', order: 'asc', offset: 0, limit: 1 },
    });
    if (total !== documents) throw new Error(`${total} of ${documents} documents were rebuilt`);
    stopping.abort();
    await following;
    return took;
  } finally {
    await views.close();
    await storage.close();
  }
}

interface Index {
  readonly name: string;
  readonly body: Record<string, unknown>;
}

/** Returns the definitions of the indices, without rows. */
async function indicesOf(client: Client, prefix: string): Promise<readonly Index[]> {
  const { body } = await client.indices.get({ index: `${prefix}-*` });
  return Object.entries(body).map(([name, { aliases, mappings, settings }]) => {
    const { creation_date, provided_name, uuid, version, ...index } = settings?.index ?? {};
    return { name, body: { aliases, mappings, settings: { index } } };
  });
}

/** @returns seconds until all rows are written and searchable */
async function sendBare(client: Client, indices: readonly Index[], bulks: readonly string[]): Promise<number> {
  for (const { name, body } of indices) await client.indices.create({ index: name, body });
  const waiting = bulks.values();
  const begun = performance.now();
  const sendBulks = async () => {
    for (const body of waiting) {
      const answer = await client.bulk({ body: body as never });
      if (answer.body.errors) throw new Error('OpenSearch refused a row of a bare bulk');
    }
  };
  await Promise.all(Array.from({ length: BULKS_AT_ONCE }, sendBulks));
  await client.indices.refresh({ index: indices.map(({ name }) => name).join(',') });
  return (performance.now() - begun) / 1_000;
}
