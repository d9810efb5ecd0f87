import { documentStream } from '#features/documents';
import type { OrganizationId } from '#platform/kernel';
import type { EventStore, Position, RecordedEvent } from '#ports/event-store';
import { CurrentViews, type ViewsReader } from '#read-side/views';
import { MemoryVisibility } from './memory-visibility.ts';

/** How long a request about memories waits. */

const ORGANIZATION = 'acme' as OrganizationId;
const BEFORE = '7' as Position;

function setUp({ isReady = true } = {}) {
  const asked: unknown[] = [];
  const reached: unknown[] = [];
  let publish: (events: readonly Partial<RecordedEvent>[]) => void = () => undefined;
  const store: Pick<EventStore, 'head' | 'knownHead' | 'subscribe' | 'readAll'> = {
    head: async () => '9' as Position,
    knownHead: async () => '9' as Position,
    readAll: () => Promise.reject(new Error('the log is not read')),
    async *subscribe(range) {
      asked.push([range.after, range.filter]);
      const { signal } = range;
      while (!signal.aborted) {
        const events = await new Promise<readonly Partial<RecordedEvent>[]>((resolve) => {
          publish = resolve;
          signal.addEventListener('abort', () => resolve([]), { once: true });
        });
        yield { events } as never;
      }
    },
  };
  const progress = {
    reached: async (position: Position | null) => {
      reached.push(position);
      return true;
    },
  };
  const views = new CurrentViews({} as ViewsReader, progress, store);
  const visibility = new MemoryVisibility(store, views, progress, () => isReady);
  return { visibility, asked, reached, publish: (...events: Partial<RecordedEvent>[]) => publish(events) };
}

const embedded = (id: string, contentVersion: number, position: string): Partial<RecordedEvent> => ({
  stream: documentStream(ORGANIZATION, id),
  position: position as Position,
  envelope: { type: 'UnitsEmbedded', contentVersion } as RecordedEvent['envelope'],
});
const settles = async (work: Promise<void>) => {
  let isSettled = false;
  void work.then(() => {
    isSettled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return isSettled;
};

test('waits for the vectors of every version, and until the views have reached them', async () => {
  const { visibility, asked, reached, publish } = setUp();
  const versions = [
    { rootId: 'a', number: 1 },
    { rootId: 'b', number: 3 },
  ];
  const work = visibility.reached(ORGANIZATION, versions, BEFORE);
  expect(await settles(work)).toBe(false);
  expect(asked).toEqual([[BEFORE, { types: ['UnitsEmbedded', 'ProcessingFailed'], organization: ORGANIZATION }]]);
  publish(embedded('a', 1, '10'), embedded('b', 2, '11'), embedded('elsewhere', 1, '12'));
  expect(await settles(work)).toBe(false);
  publish(embedded('b', 3, '13'));
  await work;
  expect(reached).toEqual(['9', '13']);
});

test('without a model, waits for the views alone', async () => {
  const { visibility, asked, reached } = setUp({ isReady: false });
  await visibility.reached(ORGANIZATION, [{ rootId: 'a', number: 1 }], BEFORE);
  expect([asked, reached]).toEqual([[], ['9']]);
});
