import { FIRST, FORGOTTEN, PASSAGE, revisedTo } from '../../../memories/src/testing.ts';
import { decideErased } from '../deletion/decide.ts';
import { evolveProgress } from '../processing/progress.ts';
import { initialState, memoryIn } from '../state.ts';
import { AT, added, deleted, embedded, failed, given, indexed, recorded, restarted } from '../testing.ts';
import { decideMemoryStreams } from './decide.ts';

/** What pipeline, projection and vector spaces read of a memory. */

const first = recorded({ type: 'MemoryRecorded', contentVersion: 1, payload: FIRST });
const revised = recorded(revisedTo({ text: 'Bergen.' }));
const { id, documentId, sentences } = PASSAGE;
const touched = recorded({ type: 'PassageTouched', contentVersion: 1, payload: { id, documentId, sentences } });
const forgotten = recorded(FORGOTTEN);

test('given a memory, then its text is the one passage of a document that waits for its vectors', () => {
  expect(given(first)).toMatchObject({
    ...{ id: 'first', type: 'memory', stage: 'embedding', contentVersion: 1, isSummarized: true },
    ...{ content: { parts: [{ inline: FIRST.text }] }, memories: { inline: [['first', 0, 19, null]] } },
    ...{ metadata: FIRST.metadata, createdAt: Date.parse(AT), updatedAt: Date.parse(AT) },
  });
  const progress = evolveProgress(null, { type: 'MemoryRecorded', contentVersion: 1 });
  expect(progress).toMatchObject({ stage: 'embedding', recorded: ['extracting', 'chunking', 'summarizing'] });
});

test('given a revision, then the vectors of the new text are made', () => {
  expect(given(first, embedded(), indexed())).toMatchObject({ stage: 'done', vectorSpace: 'space-1' });
  expect(given(first, embedded(), indexed(), revised)).toMatchObject({
    ...{ stage: 'embedding', contentVersion: 2, vectorSpace: null },
    ...{ content: { parts: [{ inline: 'Bergen.' }] }, memories: { inline: [['next', 0, 7, null]] } },
  });
  expect(evolveProgress(null, { type: 'MemoryRevised', contentVersion: 2 })).toMatchObject({
    ...{ stage: 'embedding', contentVersion: 2 },
  });
});

test('given a memory that has failed, when it is processed again, then only its vectors are made', () => {
  expect(given(first, failed(), restarted())).toMatchObject({
    ...{ stage: 'embedding', error: null, content: { parts: [{ inline: FIRST.text }] } },
  });
});

test('given a memory whose text is in its document, then there is nothing to process', () => {
  const state = given(touched, forgotten);
  expect(state).toMatchObject({ stage: 'done', content: { parts: [] }, memories: { inline: [] } });
  expect(memoryIn(state)).toMatchObject({ forgotten: { reason: 'why' }, passage: { documentId: 'document' } });
});

test('given a change of the tags, then the memory has them too', () => {
  const changed = recorded({ type: 'DetailsChanged', payload: {} }, ['other']);
  expect(memoryIn(given(first, changed))).toMatchObject({ tags: ['other'] });
});

test('given a document, then events of a memory change nothing of it', () => {
  const document = given(added());
  expect(given(added(), forgotten, revised)).toEqual(document);
  expect([memoryIn(document), memoryIn(given(first, deleted())), memoryIn(initialState)]).toEqual([null, null, null]);
});

test('given memories of a document that get streams, then each is named once in its stream', () => {
  const named = recorded({ type: 'MemoriesTouched', payload: { ids: ['a'] } });
  expect(decideMemoryStreams(given(added(), named), ['a', 'b'])).toEqual({
    ...{ ok: true, value: [{ type: 'MemoriesTouched', payload: { ids: ['b'] } }] },
  });
  expect(decideMemoryStreams(given(added(), named), ['a'])).toEqual({ ok: true, value: [] });
  for (const state of [initialState, given(touched)]) {
    expect(decideMemoryStreams(state, ['a'])).toMatchObject({ error: 'not_found' });
  }
});

test('given a document that is deleted, then only its own memories are', () => {
  const state = given(touched, forgotten);
  expect(decideErased(state, 'document')).toMatchObject({ value: [{ type: 'DocumentDeleted' }] });
  expect(decideErased(state, 'another')).toEqual({ ok: true, value: [] });
  expect(decideErased(initialState, 'document')).toEqual({ ok: true, value: [] });
});
