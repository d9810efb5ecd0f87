import { jest } from '@jest/globals';
import { asRequest } from '#platform/kernel';
import type { Position } from '#ports/event-store';
import { CurrentViews } from './current-views.ts';
import type { ViewsReader } from './port.ts';
import { RecentDeletions } from './recent-deletions.ts';

const reader = {} as ViewsReader;
const known = '7' as Position;

test('while the log is away, queries wait for what is known of it, and commands fail', async () => {
  const waited: unknown[] = [];
  const progress = {
    reached: async (position: Position | null) => {
      waited.push(position);
      return true;
    },
  };
  const store = {
    head: async () => {
      throw new Error('away');
    },
    knownHead: async () => known,
    readAll: async () => ({ events: [], position: null, end: true }),
  };
  const views = new CurrentViews(reader, progress, store);
  expect(await views.readWithoutLog()).toBe(reader);
  expect(waited).toEqual([known]);
  await expect(views.read()).rejects.toThrow('away');
  await expect(views.readWithRest({})).rejects.toThrow('away');
});

describe('a request that has waited for the log', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test.each([
    [0, 5_000],
    [8_000, 5_000],
    [12_000, 2_000],
    [20_000, 0],
  ])('for %i ms waits at most %i ms for the views', async (before, most) => {
    const waits: number[] = [];
    const progress = { reached: async (_: Position | null, ms: number) => waits.push(ms) > 0 };
    const store = {
      head: async () => {
        jest.advanceTimersByTime(before);
        return known;
      },
      knownHead: async () => known,
      readAll: async () => ({ events: [], position: null, end: true }),
    };
    await asRequest(async () => {
      await new CurrentViews(reader, progress, store).read();
      await new RecentDeletions(progress).shown(known, 5_000);
    });
    await new CurrentViews(reader, progress, store).read();
    expect(waits).toEqual([most, most, 5_000]);
  });
});
