import { Agent } from 'node:http';
import { isoTime } from '#platform/kernel';
import { Mneme } from '../../support/mneme.ts';
import { type Bench, type BenchOptions, expectStatus, type Outcome } from '../support/bench.ts';
import { modelReady } from '../support/documents.ts';
import { recordMemories, searchMemories, textsFrom } from '../support/memories.ts';
import { findModel } from '../support/model.ts';
import { milliseconds, percentile, whole } from '../support/statistics.ts';

const TAG = 'memories';
const TOGETHER = 100;
/** Requests at the same time. */
const AT_ONCE = 16;
const MOST_OF_PRESENT = 2;
const FULL = { memories: 10_000, searches: 200 };
const QUICK = { memories: 1_000, searches: 20 };

interface Recorded {
  readonly id: string;
  readonly memory: string;
}

/** Searches of a tag whose memories have one earlier version each, as of a time when these were the latest, and as it is now. */
export const pastSearches: Bench = {
  name: 'past-searches',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const { memories, searches } = quick ? QUICK : FULL;
    const model = await findModel();
    const mneme = await Mneme.start({ env: { MNEME_EMBEDDING: 'local', MNEME_MODELS: model.folder } });
    const connection = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      await modelReady(mneme);
      for (let from = 0; from < memories; from += TOGETHER) {
        await recordMemories(mneme, TAG, textsFrom(from, TOGETHER));
        if ((from + TOGETHER) % 1_000 === 0) progress(`${from + TOGETHER} of ${memories} memories recorded`);
      }
      const asOf = isoTime(Date.now());
      await reviseAll(mneme, memories, progress);
      progress('searching');
      const [present, past]: [number[], number[]] = [[], []];
      for (let i = 0; i < searches; i++) {
        present.push(await searchMemories(mneme, connection, TAG, i, { kind: 'present' }));
        past.push(await searchMemories(mneme, connection, TAG, i, { kind: 'past', asOf }));
      }
      return outcome(memories, present, past);
    } finally {
      connection.destroy();
      await mneme.stop();
    }
  },
};

async function reviseAll(mneme: Mneme, count: number, progress: (text: string) => void): Promise<void> {
  const all: Recorded[] = [];
  for (let page = 1; all.length < count; page++) {
    const request = { containerTags: [TAG], limit: 1_000, page, sort: 'createdAt', order: 'asc' };
    const { status, body } = await mneme.post<{ memoryEntries: Recorded[] }>('/v4/memories/list', request);
    expectStatus(status, 200, 'POST /v4/memories/list');
    all.push(...body.memoryEntries);
  }
  for (let from = 0; from < all.length; from += AT_ONCE) {
    await Promise.all(
      all.slice(from, from + AT_ONCE).map(async ({ id, memory }) => {
        const change = { containerTag: TAG, id, newContent: `${memory} It was found again.` };
        expectStatus((await mneme.request('PATCH', '/v4/memories', change)).status, 200, 'PATCH /v4/memories');
      }),
    );
    if (from % (AT_ONCE * 50) === 0) progress(`${from} of ${all.length} memories revised`);
  }
}

function outcome(memories: number, present: readonly number[], past: readonly number[]): Outcome {
  const [half, before] = [percentile(present, 0.5), percentile(past, 0.5)];
  const multiple = before / half;
  return {
    rows: [
      {
        what: `search with \`asOf\` in a tag of ${whole(memories)} memories with an earlier version each, as a multiple of one without`,
        measured: `p50 ${multiple.toFixed(2)} × (${milliseconds(before)} and ${milliseconds(half)})`,
        target: `p50 ≤ ${MOST_OF_PRESENT} ×`,
        met: multiple <= MOST_OF_PRESENT,
      },
    ],
    raw: { present, past },
  };
}
