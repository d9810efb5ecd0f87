import { newId, type OrganizationId } from '#kernel';
import type { DocumentEvent } from '../events.ts';
import { foldDocument } from '../model.ts';
import { recordEvents } from '../recording.ts';
import { type DocumentState, initialState } from '../state.ts';
import { decideCarried, decideRevised, memoryIn, recorded } from './decide.ts';
import { decidePassage, untouched } from './passage.ts';

/** The rules of ids that are carried on from memories that leave to others that say the same. */

const ORGANIZATION = newId() as OrganizationId;
const NOON = Date.parse('2026-01-01T12:00:00.000Z');
const CAUSE = { actor: 'system', correlationId: 'request', causationId: null };
const PASSAGE = {
  ...{ organization: ORGANIZATION, documentId: 'document', id: 'passage', text: 'Mara lives in Oslo.' },
  ...{ tags: ['mara'], createdAt: NOON },
};

const after = (state: DocumentState, ...events: readonly DocumentEvent[]): DocumentState =>
  recordEvents(events, { organization: ORGANIZATION, cause: CAUSE, tags: ['mara'], now: NOON + 1, isMemory: true })
    .map((event) => ({ ...event, stream: 's', revision: 0, position: '0' as never }))
    .reduce(foldDocument, state);

const version = (id: string) => ({
  ...{ id, text: 'Mara lives in Oslo.', isStatic: false, metadata: null, forgetAfter: null, forgetReason: null },
  ...{ temporalContext: null, language: null },
});
const direct = after(initialState, recorded(version('direct')));
const carried = (...ids: readonly string[]): DocumentEvent => ({ type: 'MemoryIdCarried', payload: { ids } });

test('given a memory, when ids are carried on to it, then it has them, and no other version or time of a change', () => {
  expect(decideCarried(direct, ['a', 'b'])).toEqual({ ok: true, value: [carried('a', 'b')] });
  const state = after(direct, carried('a', 'b'));
  expect(memoryIn(state)).toEqual({ ...direct, memory: { ...memoryIn(direct)?.memory, carried: ['a', 'b'] } });
});

test('given ids that it has, then only those that are new are recorded', () => {
  const revised = decideRevised(after(direct, carried('a')), { id: 'second', language: null, text: 'In Bergen.' });
  const state = after(after(direct, carried('a')), ...(revised.ok ? revised.value : []));
  expect(decideCarried(state, ['a', 'second', 'b', 'direct', 'b'])).toEqual({ ok: true, value: [carried('b')] });
  expect(decideCarried(state, ['a', 'second'])).toEqual({ ok: true, value: [] });
});

test('given more ids than one event names, then it names the latest', () => {
  const ids = Array.from({ length: 1_001 }, (_, i) => `${i}`);
  expect(decideCarried(direct, ids)).toEqual({ ok: true, value: [carried(...ids.slice(1))] });
});

test('given no memory, then nothing is carried on', () => {
  const document = { ...direct, memory: null } as DocumentState;
  for (const state of [initialState, document, after(direct, { type: 'DocumentDeleted', payload: null })]) {
    expect(decideCarried(state, ['a'])).toMatchObject({ error: 'not_found' });
  }
});

test('given a passage without a stream, then its stream begins with ids alone', () => {
  const decided = decidePassage(initialState, PASSAGE, (live) => decideCarried(live, ['a']));
  if (!decided.ok) throw new Error(decided.error);
  const { events } = decided.value;
  expect(events.map(({ type }) => type)).toEqual(['PassageTouched', 'MemoryIdCarried']);
  expect(JSON.stringify(events)).not.toContain('Oslo');
  expect(memoryIn(after(initialState, ...events))?.memory.versions).toHaveLength(1);
  expect(decidePassage(initialState, PASSAGE, (live) => decideCarried(live, [untouched(PASSAGE).id]))).toMatchObject({
    ...{ ok: true, value: { events: [] } },
  });
});
