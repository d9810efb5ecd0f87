import { newId, type OrganizationId } from '#platform/kernel';
import type { DocumentEvent } from '../events.ts';
import { foldDocument } from '../model.ts';
import { evolveProgress } from '../processing/progress.ts';
import { recordEvents } from '../recording.ts';
import { type DocumentState, initialState } from '../state.ts';
import {
  decideExpired,
  decideForgotten,
  decideRestored,
  decideRevised,
  isActive,
  memoryIn,
  recorded,
} from './decide.ts';
import type { VersionPayload } from './events.ts';
import { expiresAt, inactiveFrom, latestVersion } from './state.ts';

/** The rules of a memory that was recorded directly. */

const ORGANIZATION = newId() as OrganizationId;
const NOON = Date.parse('2026-01-01T12:00:00.000Z');
const CAUSE = { actor: 'key:k', correlationId: 'request', causationId: null };
const FIRST: VersionPayload = {
  ...{ id: 'first', text: 'Mara lives in Oslo.', isStatic: false, metadata: { kind: 'home', n: 1 } },
  ...{ forgetAfter: null, forgetReason: null, temporalContext: null, language: null },
};

const after = (state: DocumentState, now: number, ...events: readonly DocumentEvent[]): DocumentState =>
  recordEvents(events, { organization: ORGANIZATION, cause: CAUSE, tags: ['mara'], now, isMemory: true })
    .map((event) => ({ ...event, stream: 's', revision: 0, position: '0' as never }))
    .reduce(foldDocument, state);
const given = (version: Partial<VersionPayload> = {}) => after(initialState, NOON, recorded({ ...FIRST, ...version }));
const memoryOf = (state: DocumentState) =>
  memoryIn(state)?.memory as NonNullable<ReturnType<typeof memoryIn>>['memory'];
const eventsOf = <T>(result: { readonly ok: boolean; readonly value?: T }): T => {
  if (!result.ok) throw new Error('refused');
  return result.value as T;
};
const revised = (state: DocumentState, change: { text: string } & Partial<VersionPayload>, now = NOON + 1) =>
  after(state, now, ...eventsOf(decideRevised(state, { id: 'next', language: null, ...change })));
const forgotten = (state: DocumentState) => after(state, NOON + 2, ...eventsOf(decideForgotten(state, 'why')));
const restored = (state: DocumentState, now: number) => after(state, now, ...eventsOf(decideRestored(state, now)));

test('a revision inherits what it does not name', () => {
  const state = revised(given({ forgetAfter: '2027-01-01T00:00:00.000Z', forgetReason: 'ends' }), { text: 'Bergen.' });
  expect(latestVersion(memoryOf(state))).toMatchObject({
    ...{
      id: 'next',
      language: null,
      text: 'Bergen.',
      metadata: FIRST.metadata,
      forgetReason: 'ends',
      createdAt: NOON + 1,
    },
  });
  expect(memoryOf(state).versions[0]).toMatchObject({ id: 'first', text: FIRST.text, createdAt: NOON });
  const kept = revised(state, { text: 'Bergen.', forgetAfter: null });
  expect(latestVersion(memoryOf(kept))).toMatchObject({ forgetAfter: null, forgetReason: null });
});

test('a revision that changes nothing is none, whatever the order of its keys', () => {
  expect(
    decideRevised(given(), { id: 'next', language: null, text: FIRST.text, metadata: { n: 1, kind: 'home' } }),
  ).toEqual({
    ...{ ok: true, value: [] },
  });
  expect(
    eventsOf(
      decideRevised(given(), { id: 'next', language: null, text: FIRST.text, metadata: { n: '1', kind: 'home' } }),
    ),
  ).toHaveLength(1);
});

test('a forgotten memory is not revised, and not forgotten again', () => {
  const state = forgotten(given());
  expect(memoryOf(state).forgotten).toEqual({ reason: 'why', at: NOON + 2 });
  expect(decideRevised(state, { id: 'next', language: null, text: 'Bergen.' })).toMatchObject({ error: 'not_found' });
  expect(decideForgotten(state, null)).toMatchObject({ error: 'already_forgotten' });
  expect([isActive(memoryOf(state), NOON), inactiveFrom(memoryOf(state)), expiresAt(memoryOf(state))]).toEqual([
    false,
    0,
    null,
  ]);
  expect(isActive(memoryOf(restored(state, NOON + 3)), NOON + 3)).toBe(true);
  expect(decideRestored(given(), NOON)).toEqual({ ok: true, value: [] });
});

test('a memory expires at its time, which is recorded once and until it gets another one', () => {
  const state = given({ forgetAfter: new Date(NOON + 10).toISOString() });
  expect([isActive(memoryOf(state), NOON + 9), isActive(memoryOf(state), NOON + 10)]).toEqual([true, false]);
  expect(decideExpired(state, NOON + 9)).toEqual({ ok: true, value: [] });
  const expired = after(state, NOON + 10, ...eventsOf(decideExpired(state, NOON + 10)));
  expect([expiresAt(memoryOf(state)), expiresAt(memoryOf(expired))]).toEqual([NOON + 10, null]);
  expect(decideExpired(expired, NOON + 20)).toEqual({ ok: true, value: [] });
  const again = revised(expired, { text: 'Bergen.', forgetAfter: new Date(NOON + 30).toISOString() });
  expect(eventsOf(decideExpired(again, NOON + 30))).toHaveLength(1);
  expect(inactiveFrom(memoryOf(restored(expired, NOON + 11)))).toBeNull();
});

test('what was restored before its time expires as ever', () => {
  const state = restored(forgotten(given({ forgetAfter: new Date(NOON + 10).toISOString() })), NOON + 5);
  expect(inactiveFrom(memoryOf(state))).toBe(NOON + 10);
});

test('nothing is decided about a document, or about a memory that is deleted', () => {
  const deleted = after(given(), NOON, { type: 'DocumentDeleted', payload: null });
  for (const state of [initialState, deleted]) {
    expect(memoryIn(state)).toBeNull();
    expect(decideRevised(state, { id: 'next', language: null, text: 'x' })).toMatchObject({ error: 'not_found' });
    expect(decideForgotten(state, null)).toMatchObject({ error: 'not_found' });
    expect(decideRestored(state, NOON)).toMatchObject({ error: 'not_found' });
    expect(decideExpired(state, NOON)).toEqual({ ok: true, value: [] });
  }
});

test('processing begins with the vectors, for each version', () => {
  const progress = evolveProgress(null, { type: 'MemoryRecorded', contentVersion: 1 });
  expect(progress).toMatchObject({
    stage: 'embedding',
    contentVersion: 1,
    recorded: ['extracting', 'chunking', 'summarizing'],
  });
  expect(evolveProgress(progress, { type: 'MemoryRevised', contentVersion: 2 })).toMatchObject({
    ...{ stage: 'embedding', contentVersion: 2 },
  });
  expect(revised(given(), { text: 'Bergen.' })).toMatchObject({
    stage: 'embedding',
    contentVersion: 2,
    isSummarized: true,
  });
});
