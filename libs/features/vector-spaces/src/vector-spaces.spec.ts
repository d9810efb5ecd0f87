import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#platform/kernel';
import { createCommandHandler, createFoldCache, type EventStore, SqliteEventStore } from '#ports/event-store';
import { DEFAULT_GROUP, groupStream, type SpaceGroup, VECTOR_SPACE_CATEGORY } from './groups.ts';
import { servingSpace, VectorSpaces } from './vector-spaces.ts';

const OTHER: SpaceGroup = { name: 'other', initialSpace: 'x' };

let folder: string;
let store: EventStore;
let spaces: VectorSpaces;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-spaces-'));
  store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
  const cache = createFoldCache({ characters: 1_000 });
  spaces = new VectorSpaces(createCommandHandler({ store, clock: systemClock, cache }));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

it('begins with the initial space of each group', async () => {
  expect(await spaces.load(DEFAULT_GROUP)).toMatchObject({ serving: DEFAULT_GROUP.initialSpace, coming: null });
  expect(await spaces.load(OTHER)).toMatchObject({ serving: 'x', coming: null });
});

it('builds and selects a space of one group without effect on the other', async () => {
  await spaces.begin(DEFAULT_GROUP, 'b');
  await spaces.begin(OTHER, 'y');
  expect((await spaces.select(DEFAULT_GROUP, 'b')).ok).toBe(true);
  expect(await spaces.load(DEFAULT_GROUP)).toMatchObject({ serving: 'b', coming: null });
  expect(await spaces.load(OTHER)).toMatchObject({ serving: 'x', coming: 'y' });
  expect(await spaces.select(OTHER, 'b')).toEqual({ ok: false, error: 'superseded' });
  expect([await servingSpace(store, DEFAULT_GROUP), await servingSpace(store, OTHER)]).toEqual(['b', 'x']);
});

it('keeps the events of each group in a stream, and all groups in one category', async () => {
  await spaces.begin(DEFAULT_GROUP, 'b');
  await spaces.begin(OTHER, 'y');
  expect(groupStream(DEFAULT_GROUP)).toBe('vector-space');
  const filter = { categories: [VECTOR_SPACE_CATEGORY] };
  const { events } = await store.readAll({ after: null, limit: 10, filter });
  expect(events.map(({ stream, payload }) => ({ stream, payload }))).toEqual([
    { stream: 'vector-space', payload: { space: 'b' } },
    { stream: 'vector-space-other', payload: { space: 'y' } },
  ]);
});
