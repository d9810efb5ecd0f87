import { documentStream } from '#features/documents';
import { type MemoryEvent, memoryOfPassage, sentenceHashes } from '#features/memories';
import { ok, type Result, systemScope, writeScope } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import {
  ORGANIZATION,
  OWNER,
  openUseCases,
  principalOf,
  type UseCases,
} from '../../../documents/use-cases/src/testing.ts';
import { MemoryChanges } from './memory-changes.ts';
import type { MemoryMatch } from './memory-finder.ts';

/** How the streams of memories that were formed from a document begin. */

const TEXT = 'Mara lives in Oslo. She sails.';
const FORGET: Result<readonly MemoryEvent[], never> = ok([{ type: 'MemoryForgotten', payload: { reason: null } }]);

let useCases: UseCases;
let changes: MemoryChanges;
beforeEach(async () => {
  useCases = await openUseCases();
  changes = new MemoryChanges(useCases.documents);
});
afterEach(() => useCases.close());

const matchOf = (id: string, documentId: string): MemoryMatch => {
  const origin = {
    ...{ organization: ORGANIZATION, documentId, id, text: TEXT, sentences: sentenceHashes(TEXT) },
    ...{ tags: ['mara'], createdAt: useCases.clock.now() },
  };
  return { ...memoryOfPassage(origin), origin, statement: id };
};
const forgetAll = (matches: readonly MemoryMatch[], decided = FORGET, principal = OWNER) =>
  changes.changeAll(writeScope(principal), matches, systemCause(), () => decided);
const eventsOf = async (id: string) => (await useCases.store.readStream(documentStream(ORGANIZATION, id))).events;

test('the document names its memories in one event, and their streams begin without its text', async () => {
  const documentId = await useCases.added(['mara']);
  const outcomes = await forgetAll([matchOf('a', documentId), matchOf('b', documentId)]);
  expect(outcomes).toMatchObject([
    { ok: true, value: { memory: { id: 'a', versions: [{ text: TEXT }], forgotten: { reason: null } } } },
    { ok: true, value: { memory: { id: 'b' } } },
  ]);
  expect((await eventsOf(documentId)).slice(1)).toMatchObject([
    { envelope: { type: 'MemoriesTouched' }, payload: { ids: ['a', 'b'] } },
  ]);
  const events = await eventsOf('a');
  expect(events).toMatchObject([
    { envelope: { type: 'PassageTouched', category: 'memory' }, payload: { id: 'a', documentId } },
    { envelope: { type: 'MemoryForgotten', category: 'memory' } },
  ]);
  expect(JSON.stringify(events)).not.toContain('Oslo');
});

test('a further change continues the stream, of which a deletion is the end', async () => {
  const documentId = await useCases.added(['mara']);
  await forgetAll([matchOf('a', documentId)]);
  await forgetAll([matchOf('a', documentId)]);
  expect(await useCases.eventTypes('a')).toEqual(['PassageTouched', 'MemoryForgotten', 'MemoryForgotten']);
  expect((await useCases.eventTypes(documentId)).slice(1)).toEqual(['MemoriesTouched']);
  await useCases.documents.change(systemScope(ORGANIZATION), 'a', systemCause(), () =>
    ok([{ type: 'DocumentDeleted', payload: null } as const]),
  );
  expect(await forgetAll([matchOf('a', documentId)])).toMatchObject([{ error: 'not_found' }]);
});

test('nothing is recorded where nothing changes, or where the scope does not permit the document', async () => {
  const documentId = await useCases.added(['mara']);
  expect(await forgetAll([matchOf('a', documentId)], ok([]))).toMatchObject([{ value: { position: null } }]);
  const other = principalOf(['other']);
  expect(await forgetAll([matchOf('a', documentId)], FORGET, other)).toMatchObject([{ error: 'forbidden' }]);
  expect([await useCases.eventTypes('a'), (await useCases.eventTypes(documentId)).length]).toEqual([[], 1]);
});
