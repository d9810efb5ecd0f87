import type { Mneme } from '../../support/mneme.ts';
import { type BenchOptions, expectStatus, type Outcome, type Row } from '../support/bench.ts';
import type { Installation, InstallationBench } from '../support/installations.ts';
import { median, milliseconds } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

const ITEMS = 600;
const BATCHES = 9;
const TARGET_MS = 300;
const TARGET_NAMED_MS = 600;

/** The time until a batch is acknowledged, one after the other; each begins when the documents of the last are done. */
export const batch: InstallationBench = {
  name: 'batch',
  async run({ quick, progress }: BenchOptions, installation: Installation): Promise<Outcome> {
    const count = quick ? 3 : BATCHES;
    const mneme = await installation.start();
    try {
      // The first batches compile what the route needs.
      for (const named of [false, true]) await acknowledged(mneme, Number(named), named);
      const unnamed = await measure(mneme, 2, count, false);
      progress(`without customIds: ${unnamed.map(milliseconds).join(', ')}`);
      const named = await measure(mneme, 2 + count, count, true);
      progress(`with new customIds: ${named.map(milliseconds).join(', ')}`);
      return {
        rows: [row('without customIds', unnamed, TARGET_MS), row('with new customIds', named, TARGET_NAMED_MS)],
        raw: { items: ITEMS, unnamed, named },
      };
    } finally {
      await mneme.stop();
    }
  },
};

function row(what: string, times: readonly number[], target: number): Row {
  const typical = median(times);
  return {
    what: `a batch of ${ITEMS} documents of a sentence ${what}, acknowledged`,
    measured: `p50 ${milliseconds(typical)} (slowest of ${times.length}: ${milliseconds(Math.max(...times))})`,
    target: `≤ ${target} ms`,
    met: typical <= target,
  };
}

async function measure(mneme: Mneme, first: number, count: number, named: boolean): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) times.push(await acknowledged(mneme, first + i, named));
  return times;
}

/** Sends one batch and waits until its documents are done. @returns milliseconds until the answer has arrived */
async function acknowledged(mneme: Mneme, number: number, named: boolean): Promise<number> {
  const documents = Array.from({ length: ITEMS }, (_, i) => ({
    content: sentence(number * ITEMS + i),
    ...(named && { customId: `document-${number}-${i}` }),
  }));
  const begun = performance.now();
  const { status, body } = await mneme.post<{ results: { id: string }[]; success: number }>('/v3/documents/batch', {
    documents,
    containerTag: 'batches',
  });
  const took = performance.now() - begun;
  expectStatus(status, 200, 'POST /v3/documents/batch');
  if (body.success !== ITEMS) throw new Error(`${body.success} of ${ITEMS} documents were accepted`);
  for (const { id } of body.results) await mneme.settled(id);
  return took;
}
