import type { Position } from '#ports/event-store';
import { CurrentViews } from './current-views.ts';
import type { ViewsReader } from './port.ts';

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
