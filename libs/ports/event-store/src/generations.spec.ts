import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventOf, foldWith, ok, systemClock } from '#platform/kernel';
import { SqliteEventStore } from './adapters/sqlite/sqlite-event-store.ts';
import { createCommandHandler } from './command-handler.ts';
import { createFoldCache } from './fold-cache.ts';
import { Generations } from './generations.ts';
import { record, systemCause } from './recording.ts';

type Noted = EventOf<'Noted', { readonly text: string }>;
type Ended = EventOf<'Ended', null>;
const EVENTS = { Noted: { version: 1, payload: true }, Ended: { version: 1, payload: false } } as const;
const context = { organization: 'o', cause: systemCause() };
const recorded = (event: Noted | Ended, now: number) =>
  record<Noted | Ended>(EVENTS, [event], { ...context, tags: [], now });

let folder: string;
let store: SqliteEventStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-generations-'));
  store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** Notes as a process sees them: with a cache of its own. */
function process() {
  const handler = createCommandHandler({ store, clock: systemClock, cache: createFoldCache({ characters: 10_000 }) });
  const notes = new Generations<string>({
    handler,
    model: {
      ...{ name: 'notes', version: 1, initialState: '' },
      evolve: foldWith<string, Noted | Ended>(EVENTS, (state, event) => {
        if (event.type === 'Noted') return state + event.payload.text;
        return event.type === 'Ended' ? 'ended' : state;
      }),
    },
    hasEnded: (state) => state === 'ended',
  });
  return {
    load: () => notes.load('notes-1'),
    write: (text: string) =>
      notes.execute('notes-1', context, (_, now) => ok(recorded({ type: 'Noted', payload: { text } }, now))),
    erase: () => notes.erase('notes-1', (now) => recorded({ type: 'Ended', payload: null }, now)),
  };
}

const payloads = async () => {
  const { events } = await store.readAll({ after: null, limit: 100 });
  return events.flatMap(({ payload }) => (payload === null ? [] : [payload.text]));
};

test('values can be erased and written again, any number of times, on every process', async () => {
  const [one, other] = [process(), process()];
  expect(await one.load()).toBe('');
  for (const text of ['first', 'second', 'third']) {
    await one.write(text);
    expect(await other.load()).toBe(text);
    await other.erase();
    expect(await one.load()).toBe('');
    expect(await payloads()).toEqual([]);
  }
});

test('what is written by several processes after an erasure is all kept', async () => {
  const [one, other] = [process(), process()];
  await one.write('old');
  await one.erase();
  await Promise.all([one.write('a'), other.write('b')]);
  expect([...(await one.load())].sort()).toEqual(['a', 'b']);
});

test('nothing is recorded where there is nothing to erase', async () => {
  await process().erase();
  expect(await store.head()).toBeNull();
});
