import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFiles, openStorage, openViews } from '#composition/runtime';
import type { ViewsReader } from '#read-side/views';
import type { Bench, BenchOptions, Outcome } from '../support/bench.ts';
import { type WrittenLog, writeLog } from '../support/log.ts';
import { median, seconds, whole } from '../support/statistics.ts';

const TARGET = { eventsPerSecond: 20_000, unitsPerSecond: 15_000 };
const CACHE_BYTES = 256 * 1024 * 1024;
const TIMEOUT_MS = 300_000;

/** Time from no `views.db` to the head of the log, by the server's projection thread with cached vectors. */
export const rebuild: Bench = {
  name: 'rebuild',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const [documents, times] = quick ? [2_000, 1] : [20_000, 3];
    const folder = await mkdtemp(join(tmpdir(), 'mneme-bench-rebuild-'));
    try {
      progress(`writing a log of ${whole(documents)} documents`);
      const log = await writeLog(folder, documents, progress);
      const took: number[] = [];
      for (let i = 0; i < times; i++) {
        progress(`rebuild ${i + 1} of ${times}`);
        took.push(await rebuildOnce(folder, log));
      }
      return outcome(log, took);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

function outcome({ documents, events, units }: WrittenLog, took: readonly number[]): Outcome {
  const middle = median(took);
  const [eventsPerSecond, unitsPerSecond] = [events / middle, units / middle];
  const what = `${whole(documents)} documents of a sentence, vectors cached; median of ${took.length}`;
  return {
    rows: [
      {
        what: `rebuild of the views, ${what}: events`,
        measured: `${whole(eventsPerSecond)}/s: ${whole(events)} in ${seconds(middle)}`,
        target: `≥ ${whole(TARGET.eventsPerSecond)}/s`,
        met: eventsPerSecond >= TARGET.eventsPerSecond,
      },
      {
        what: 'the same: units (chunks and memories)',
        measured: `${whole(unitsPerSecond)}/s: ${whole(units)}`,
        target: `≥ ${whole(TARGET.unitsPerSecond)}/s`,
        met: unitsPerSecond >= TARGET.unitsPerSecond,
      },
    ],
    raw: { documents, events, units, seconds: took, eventsPerSecond, unitsPerSecond },
  };
}

async function rebuildOnce(folder: string, log: WrittenLog): Promise<number> {
  const files = dataFiles(folder);
  for (const part of ['', '-wal', '-shm']) await rm(files.views + part, { force: true });
  const storage = await openStorage(
    {
      dataFolder: folder,
      cacheBytes: CACHE_BYTES,
      eventStoreUrl: null,
      natsUrl: null,
      openSearchUrl: null,
      prefix: 'mneme',
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
    const following = views.follow({ fencingToken: 0, signal: stopping.signal });
    const reached = await views.progress.reached(head, TIMEOUT_MS);
    const took = (performance.now() - begun) / 1_000;
    if (!reached || faults.length > 0) throw new Error(`The views did not reach the head: ${faults.join('; ')}`);
    await checkViews(views.reader, log);
    stopping.abort();
    await following;
    return took;
  } finally {
    await views.close();
    await storage.close();
  }
}

/** Checks that every document exists, is done and has vectors. */
async function checkViews(reader: ViewsReader, { organization, documents, space }: WrittenLog): Promise<void> {
  const { total } = await reader.list({
    scope: { organization, tags: 'all' },
    filter: null,
    filepath: null,
    stages: ['done'],
    sort: 'createdAt',
    order: 'asc',
    offset: 0,
    limit: 1,
  });
  const bare = await reader.withoutVectors({ spaces: [space], after: null, limit: 1 });
  if (total !== documents || bare.length > 0)
    throw new Error(`${total} of ${documents} documents were rebuilt; without vectors: ${bare.length}`);
}
