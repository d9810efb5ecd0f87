import { mnemeError, type OrganizationId, ok } from '#platform/kernel';
import type { Position } from '#ports/event-store';
import type { UnfinishedDocument } from '#read-side/views';
import { type RecordExpiriesOptions, recordExpiries } from './record-expiries.ts';

/** Records that memories have expired. */

class Unreachable extends mnemeError('transient', 'unreachable') {}

const memory = (id: string): UnfinishedDocument => ({
  ...{
    organization: 'acme' as OrganizationId,
    id,
    stage: 'done',
    contentVersion: 1,
    tags: ['a'],
    tag: 't',
    size: 0,
    updatedAt: 0,
  },
});

/** Runs the task on these answers of the views, one after the other, and ends it with the last one. */
async function run(answers: readonly (readonly string[] | Error)[], change: (id: string) => Promise<Position | null>) {
  const stop = new AbortController();
  const changed: string[] = [];
  const asked: number[] = [];
  const reached: (Position | null)[] = [];
  const warnings: string[] = [];
  const left = [...answers];
  const documents = {
    change: async (_scope: unknown, id: string) => {
      changed.push(id);
      return ok({ state: { status: 'absent' }, position: await change(id) });
    },
  } as unknown as RecordExpiriesOptions['documents'];
  const expired = async (_until: number, limit: number) => {
    asked.push(limit);
    const answer = left.shift() ?? [];
    if (left.length === 0) stop.abort();
    if (answer instanceof Error) throw answer;
    return answer.map(memory);
  };
  const progress = {
    reached: async (position: Position | null) => {
      reached.push(position);
      return true;
    },
  };
  const clock = { now: () => 1_000 };
  const views = { reader: { expired }, progress };
  const logger = { warn: (text: string) => void warnings.push(text) };
  await recordExpiries({ documents, views, clock, signal: stop.signal, logger, every: 1 });
  return { changed, asked, reached, warnings };
}

test('each memory is recorded, and the views are waited for before they are asked again', async () => {
  const { changed, reached } = await run([['a', 'b'], ['c'], [], []], async (id) => `at ${id}` as Position);
  expect(changed).toEqual(['a', 'b', 'c']);
  expect(reached).toEqual(['at b', 'at c']);
});

test('one that cannot be recorded is left out from then on, and does not hold up others', async () => {
  const fails = async (id: string) => {
    if (id === 'a') throw new Error('lost');
    return 'p' as Position;
  };
  const { changed, asked, warnings } = await run([['a', 'b'], ['a', 'c'], [], []], fails);
  expect(changed).toEqual(['a', 'b', 'c']);
  expect(asked.slice(0, 2)).toEqual([100, 101]);
  expect(warnings).toEqual([expect.stringContaining('memory a has expired')]);
});

test('what does not answer for a time is asked again', async () => {
  let calls = 0;
  const once = async () => {
    calls += 1;
    if (calls === 1) throw new Unreachable('away');
    return 'p' as Position;
  };
  const { changed, warnings } = await run([new Unreachable('away'), ['a'], ['a'], [], []], once);
  expect([changed, warnings]).toEqual([['a', 'a'], []]);
});
