import { Agent } from 'node:http';
import { isoTime } from '#platform/kernel';
import { Mneme } from '../../support/mneme.ts';
import { type Bench, type BenchOptions, expectStatus, type Outcome } from '../support/bench.ts';
import { modelReady } from '../support/documents.ts';
import { recordMemories, searchMemories, textsFrom } from '../support/memories.ts';
import { findModel } from '../support/model.ts';
import { milliseconds, percentile, whole } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

const TOGETHER = 100;
const TAG = 'memories';
/** Has the active memories of the other tag, and no others. */
const ACTIVE_TAG = 'active memories';
const TARGETS_MS = { together: 1_200, one: 25, oneP95: 60, forgetting: 300 };
const MOST_OF_ACTIVE_ALONE = 1.3;
/** When memories that are to expire do so after they were recorded. Milliseconds. */
const EXPIRES_AFTER = 1_000;
/** Requests at the same time that are not measured. */
const AT_ONCE = 16;

/** How much of each. */
interface Load {
  readonly memories: number;
  /** Requests that record one memory. */
  readonly single: number;
  /** Requests that forget memories. */
  readonly forgetting: number;
  readonly searches: number;
}

const FULL: Load = { memories: 10_000, single: 200, forgetting: 10, searches: 200 };
const QUICK: Load = { memories: 1_000, single: 20, forgetting: 2, searches: 20 };

/** Requests about memories of 20 words in one tag over HTTP, one after the other, with the model. */
export const memories: Bench = {
  name: 'memories',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const load = quick ? QUICK : FULL;
    const model = await findModel();
    const mneme = await Mneme.start({ env: { MNEME_EMBEDDING: 'local', MNEME_MODELS: model.folder } });
    try {
      await modelReady(mneme);
      const together: number[] = [];
      for (let from = 0; from < load.memories; from += TOGETHER) {
        together.push(await recordMemories(mneme, TAG, textsFrom(from, TOGETHER)));
        if ((from + TOGETHER) % 1_000 === 0) progress(`${from + TOGETHER} of ${load.memories} memories recorded`);
      }
      progress('recording single memories');
      const single: number[] = [];
      for (let i = 0; i < load.single; i++)
        single.push(await recordMemories(mneme, TAG, textsFrom(load.memories + i, 1)));
      progress('forgetting');
      const forgetting: number[] = [];
      for (let i = 0; i < load.forgetting; i++) forgetting.push(await forgetMatching(mneme, i));
      await makeHalfInactive(mneme, load, progress);
      const searches = await compareSearches(mneme, load.searches, progress);
      return outcome(load, { together, single, forgetting, ...searches });
    } finally {
      await mneme.stop();
    }
  },
};

async function forgetMatching(mneme: Mneme, number: number): Promise<number> {
  const request = { containerTag: TAG, query: sentence(number), threshold: 0, maxForget: TOGETHER };
  const begun = performance.now();
  const { status, body } = await mneme.post<{ count: number }>('/v4/memories/forget-matching', request);
  const took = performance.now() - begun;
  expectStatus(status, 200, 'POST /v4/memories/forget-matching');
  if (body.count !== TOGETHER) throw new Error(`${body.count} memories were forgotten`);
  return took;
}

interface Listed {
  readonly memoryEntries: readonly { readonly id: string; readonly memory: string }[];
}

async function activeIn(mneme: Mneme, count: number): Promise<Listed['memoryEntries']> {
  const found: Listed['memoryEntries'][number][] = [];
  for (let page = 1; found.length < count; page++) {
    const request = { containerTags: [TAG], limit: 1_000, page, sort: 'createdAt', order: 'asc' };
    const { status, body } = await mneme.post<Listed>('/v4/memories/list', request);
    expectStatus(status, 200, 'POST /v4/memories/list');
    if (body.memoryEntries.length === 0) break;
    found.push(...body.memoryEntries);
  }
  return found.slice(0, count);
}

/** Of all versions about half are then forgotten, expired or superseded. */
async function makeHalfInactive(mneme: Mneme, { memories, forgetting }: Load, progress: (text: string) => void) {
  progress('forgetting, revising, and recording what expires');
  const forgotten = await activeIn(mneme, Math.round(memories * 0.4) - forgetting * TOGETHER);
  for (let from = 0; from < forgotten.length; from += TOGETHER) {
    const ids = forgotten.slice(from, from + TOGETHER).map(({ id }) => id);
    const { status } = await mneme.post('/v4/memories/forget-matching', { containerTag: TAG, ids });
    expectStatus(status, 200, 'POST /v4/memories/forget-matching');
  }
  const revised = await activeIn(mneme, Math.round(memories / 12));
  for (let from = 0; from < revised.length; from += AT_ONCE) {
    await Promise.all(
      revised.slice(from, from + AT_ONCE).map(async ({ id, memory }) => {
        const change = { containerTag: TAG, id, newContent: `${memory} It was found again.` };
        expectStatus((await mneme.request('PATCH', '/v4/memories', change)).status, 200, 'PATCH /v4/memories');
      }),
    );
  }
  for (let from = 0; from < memories / 6; from += TOGETHER) {
    const forgetAfter = isoTime(Date.now() + EXPIRES_AFTER);
    await recordMemories(mneme, TAG, textsFrom(2 * memories + from, TOGETHER), forgetAfter);
  }
}

/** Returns latencies of searches in the tag, and in one that has only what is active there, in turns. */
async function compareSearches(mneme: Mneme, searches: number, progress: (text: string) => void) {
  progress('recording what is active in another tag');
  const active = await activeIn(mneme, Number.POSITIVE_INFINITY);
  for (let from = 0; from < active.length; from += TOGETHER) {
    await recordMemories(
      mneme,
      ACTIVE_TAG,
      active.slice(from, from + TOGETHER).map(({ memory }) => memory),
    );
  }
  progress(`searching among ${active.length} active memories`);
  const connection = new Agent({ keepAlive: true, maxSockets: 1 });
  const halfInactive: number[] = [];
  const activeAlone: number[] = [];
  try {
    for (let i = 0; i < searches; i++) {
      halfInactive.push(await searchMemories(mneme, connection, TAG, i));
      activeAlone.push(await searchMemories(mneme, connection, ACTIVE_TAG, i));
    }
  } finally {
    connection.destroy();
  }
  return { active: active.length, halfInactive, activeAlone };
}

interface Figures {
  readonly together: readonly number[];
  readonly single: readonly number[];
  readonly forgetting: readonly number[];
  readonly active: number;
  readonly halfInactive: readonly number[];
  readonly activeAlone: readonly number[];
}

function outcome({ memories }: Load, figures: Figures): Outcome {
  const half = (values: readonly number[]) => percentile(values, 0.5);
  const { together, single, forgetting, active, halfInactive, activeAlone } = figures;
  const oneP95 = percentile(single, 0.95);
  const multiple = half(halfInactive) / half(activeAlone);
  return {
    rows: [
      {
        what: `\`POST /v4/memories\` of ${TOGETHER} memories of 20 words, into a tag of up to ${whole(memories)}, with the model`,
        measured: `p50 ${milliseconds(half(together))}, p95 ${milliseconds(percentile(together, 0.95))}`,
        target: `p50 ≤ ${whole(TARGETS_MS.together)} ms`,
        met: half(together) <= TARGETS_MS.together,
      },
      {
        what: `the same of one memory, into the tag of ${whole(memories)}`,
        measured: `p50 ${milliseconds(half(single))}, p95 ${milliseconds(oneP95)}`,
        target: `p50 ≤ ${TARGETS_MS.one} ms, p95 ≤ ${TARGETS_MS.oneP95} ms`,
        met: half(single) <= TARGETS_MS.one && oneP95 <= TARGETS_MS.oneP95,
      },
      {
        what: `\`forget-matching\` of ${TOGETHER} in this tag`,
        measured: `p50 ${milliseconds(half(forgetting))}, slowest ${milliseconds(percentile(forgetting, 1))}`,
        target: `≤ ${TARGETS_MS.forgetting} ms`,
        met: half(forgetting) <= TARGETS_MS.forgetting,
      },
      {
        what: `search in the tag, of whose memories half are forgotten, expired or superseded, as a multiple of a tag with the active ones alone`,
        measured: `p50 ${multiple.toFixed(2)} × (${milliseconds(half(halfInactive))} and ${milliseconds(half(activeAlone))}, ${whole(active)} active)`,
        target: `p50 ≤ ${MOST_OF_ACTIVE_ALONE} ×`,
        met: multiple <= MOST_OF_ACTIVE_ALONE,
      },
    ],
    raw: figures,
  };
}
