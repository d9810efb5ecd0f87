import { foldWith } from '#platform/kernel';
import { decideTagChange } from './decide.ts';
import { CONTAINER_TAG_EVENTS, type ContainerTagEvent } from './events.ts';
import { evolveTag } from './evolve.ts';
import { type ContainerTagState, initialTag, NO_VALUES, type TagValues } from './state.ts';

const fold = foldWith(CONTAINER_TAG_EVENTS, evolveTag);
const after = (state: ContainerTagState, events: readonly ContainerTagEvent[]): ContainerTagState =>
  events.reduce(
    (known, { type, payload }) =>
      fold(known, {
        envelope: { at: '2026-01-02T03:04:05.678Z', organization: 'o', tags: ['t'], correlationId: 'c', type },
        payload: payload as never,
      }),
    state,
  );
const changed = (state: ContainerTagState, changes: Partial<TagValues>) =>
  after(state, decideTagChange(state, 't', changes));

test('given a tag without values, when some are set, then the others stay empty', () => {
  expect(changed(initialTag, { name: 'Kitchen', emoji: '🍳' })).toMatchObject({
    ...NO_VALUES,
    ...{ status: 'set', tag: 't', name: 'Kitchen', emoji: '🍳' },
  });
});

test('given values, when one is cleared, then the others stay', () => {
  const state = changed(initialTag, { name: 'Kitchen', entityContext: 'Recipes', memoryFilesystemPaths: ['/a'] });
  expect(changed(state, { name: null, memoryFilesystemPaths: null })).toMatchObject({
    ...{ name: null, entityContext: 'Recipes', memoryFilesystemPaths: null },
  });
});

test('given values, when the same are sent again, then nothing is recorded', () => {
  const values = { name: 'Kitchen', profileBuckets: [{ key: 'a', description: 'A' }] };
  expect(decideTagChange(changed(initialTag, values), 't', values)).toEqual([]);
});

test('lists too long for one event are split, and replaced as a whole', () => {
  const profileBuckets = Array.from({ length: 50 }, (_, i) => ({ key: `k${i}`, description: '日'.repeat(2_000) }));
  const memoryFilesystemPaths = Array.from({ length: 200 }, (_, i) => `/${i}/${'p'.repeat(4_000)}`);
  const events = decideTagChange(initialTag, 't', { profileBuckets, memoryFilesystemPaths });
  for (const { payload } of events) expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThan(64 * 1024);
  const state = after(initialTag, events);
  expect(state).toMatchObject({ profileBuckets, memoryFilesystemPaths });
  expect(changed(state, { profileBuckets: [] })).toMatchObject({ profileBuckets: [], memoryFilesystemPaths });
});

test('given a removed tag, then nothing of it is known', () => {
  const state = changed(initialTag, { name: 'Kitchen' });
  expect(after(state, [{ type: 'ContainerTagRemoved', payload: null }])).toEqual({ status: 'removed' });
});
