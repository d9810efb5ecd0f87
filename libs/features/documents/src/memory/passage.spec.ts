import { newId, type OrganizationId } from '#platform/kernel';
import { decideErased } from '../deletion/decide.ts';
import type { DocumentEvent } from '../events.ts';
import { foldDocument } from '../model.ts';
import { recordEvents } from '../recording.ts';
import { type DocumentState, initialState } from '../state.ts';
import { decideForgotten, decideRestored, decideRevised, memoryIn } from './decide.ts';
import { asShown, type DocumentPassage, decidePassage, decideSaidAgain, decideTouched, untouched } from './passage.ts';
import { hashedSentences } from './sentences.ts';
import { cutSentences, inactiveFrom, isForgotten, isInDocument, latestVersion } from './state.ts';

/** The rules of a memory that was formed from a document. */

const ORGANIZATION = newId() as OrganizationId;
const NOON = Date.parse('2026-01-01T12:00:00.000Z');
const CAUSE = { actor: 'key:k', correlationId: 'request', causationId: null };
const PASSAGE: DocumentPassage = {
  ...{ organization: ORGANIZATION, documentId: 'document', id: 'passage', text: 'Mara lives in Oslo. She sails.' },
  ...{ tags: ['mara'], createdAt: NOON },
};

const foldedFrom = (state: DocumentState, ...events: readonly DocumentEvent[]): DocumentState =>
  recordEvents(events, { organization: ORGANIZATION, cause: CAUSE, tags: ['mara'], now: NOON + 1, isMemory: true })
    .map((event) => ({ ...event, stream: 's', revision: 0, position: '0' as never }))
    .reduce(foldDocument, state);
type Decide = Parameters<typeof decidePassage<string>>[2];
function decided(state: DocumentState, decide: Decide): readonly DocumentEvent[] {
  const result = decidePassage(state, PASSAGE, decide);
  if (!result.ok) throw new Error(result.error);
  return result.value.events;
}
const typesOf = (events: readonly DocumentEvent[]) => events.map(({ type }) => type);
const memoryOf = (state: DocumentState) => {
  const live = memoryIn(state);
  if (live === null) throw new Error('no memory');
  return live;
};
const forget: Decide = (state) => decideForgotten(state, 'why');
const revise =
  (text: string): Decide =>
  (state) =>
    decideRevised(state, { id: `of ${text}`, language: null, text });

test('given no stream, when it is forgotten, then its stream begins without its text', () => {
  const events = decided(initialState, forget);
  expect(typesOf(events)).toEqual(['PassageTouched', 'MemoryForgotten']);
  expect(JSON.stringify(events)).not.toContain('Oslo');
  expect(events[0]?.payload).toEqual({
    ...{ id: 'passage', documentId: 'document' },
    sentences: hashedSentences('Mara lives in OSLO!\nshe sails').map(({ hash }) => hash),
  });
  const state = foldedFrom(initialState, ...events);
  expect(inactiveFrom(memoryOf(state).memory)).toBe(0);
  expect(typesOf(decided(state, (live) => decideRestored(live, NOON)))).toEqual(['MemoryRestored']);
  expect(decidePassage(state, PASSAGE, forget)).toMatchObject({ error: 'already_forgotten' });
});

test('given no stream, when nothing is decided, then nothing is recorded', () => {
  expect(decided(initialState, (live) => decideRestored(live, NOON))).toEqual([]);
  expect(decided(initialState, revise(PASSAGE.text))).toEqual([]);
});

test('given a revision, then the text of the document is its first version', () => {
  const first = foldedFrom(initialState, ...decided(initialState, revise('Mara lives in Bergen.')));
  const live = asShown(memoryOf(first), PASSAGE);
  expect(live.memory.versions.map(({ text, createdAt }) => [text, createdAt])).toEqual([
    [PASSAGE.text, NOON],
    ['Mara lives in Bergen.', NOON + 1],
  ]);
  expect(isInDocument(live.memory)).toBe(false);
  const second = foldedFrom(first, ...decided(first, revise('Mara lives in Bodø.')));
  expect(latestVersion(memoryOf(second).memory).text).toBe('Mara lives in Bodø.');
  expect(memoryOf(second).contentVersion).toBe(3);
});

test('given memories of a document, then each is named once in its stream', () => {
  const document = { ...untouched(PASSAGE), memory: null, touched: ['a'] } as unknown as DocumentState;
  expect(decideTouched(document, ['a', 'b'])).toEqual({
    ...{ ok: true, value: [{ type: 'MemoriesTouched', payload: { ids: ['b'] } }] },
  });
  expect(decideTouched(document, ['a'])).toEqual({ ok: true, value: [] });
  expect(decideTouched(initialState, ['a'])).toMatchObject({ error: 'not_found' });
  expect(decideTouched(untouched(PASSAGE), ['a'])).toMatchObject({ error: 'not_found' });
});

test('given a document that is deleted, then only its own memories are', () => {
  const state = foldedFrom(initialState, ...decided(initialState, forget));
  expect(decideErased(state, 'document')).toMatchObject({ value: [{ type: 'DocumentDeleted' }] });
  expect(decideErased(state, 'another')).toEqual({ ok: true, value: [] });
  expect(decideErased(initialState, 'document')).toEqual({ ok: true, value: [] });
});

test('sentences are compared by their words', () => {
  const hashes = (text: string) => hashedSentences(text).map(({ hash }) => hash);
  expect(hashes('It is 5 p.m.! Now…')).toEqual(hashes('it IS  5 (p.m.)\nNOW'));
  expect(hashes('It is.')).not.toEqual(hashes('It was.'));
  expect(hashes('***')).not.toEqual(hashes('---'));
});

describe('given a forgotten memory, when a text says its sentences again', () => {
  const [LIVES, SAILS] = hashedSentences(PASSAGE.text).map(({ hash }) => hash) as [string, string];
  const forgotten = foldedFrom(initialState, ...decided(initialState, forget));
  const said = (state: DocumentState, ...sentences: readonly string[]) => {
    const result = decideSaidAgain(state, new Set(sentences), NOON + 2);
    return result.ok ? result.value : result.error;
  };

  test('then the memory is restored if it says all of them', () => {
    expect(said(forgotten, SAILS, 'other', LIVES)).toEqual([{ type: 'MemoryRestored', payload: null }]);
    expect(said(forgotten, 'other')).toEqual([]);
    expect(said(initialState, LIVES)).toBe('not_found');
  });

  test('then some of them are shown again, and the memory is restored with the last one', () => {
    const first = said(forgotten, SAILS, 'other') as readonly DocumentEvent[];
    expect(first).toEqual([{ type: 'SentencesRestored', payload: { sentences: [SAILS] } }]);
    const state = foldedFrom(forgotten, ...first);
    expect([inactiveFrom(memoryOf(state).memory), cutSentences(memoryOf(state).memory)]).toEqual([0, [LIVES]]);
    expect(said(state, SAILS)).toEqual([]);
    const restored = foldedFrom(state, ...(said(state, LIVES) as readonly DocumentEvent[]));
    expect(inactiveFrom(memoryOf(restored).memory)).toBeNull();
    expect(said(restored, LIVES, SAILS)).toEqual([]);
  });

  test('then it can be forgotten again with all of them', () => {
    const state = foldedFrom(forgotten, ...(said(forgotten, SAILS) as readonly DocumentEvent[]));
    expect([isForgotten(memoryOf(forgotten).memory), isForgotten(memoryOf(state).memory)]).toEqual([true, false]);
    const again = foldedFrom(state, ...decided(state, forget));
    expect(cutSentences(memoryOf(again).memory)).toEqual([LIVES, SAILS]);
    expect(decidePassage(again, PASSAGE, forget)).toMatchObject({ error: 'already_forgotten' });
  });

  test('then what a caller has made of it counts as well', () => {
    const revised = foldedFrom(initialState, ...decided(initialState, revise('Mara lives in Bergen.')));
    const state = foldedFrom(revised, ...decided(revised, forget));
    const [bergen = ''] = hashedSentences('Mara lives in Bergen.').map(({ hash }) => hash);
    expect(said(state, LIVES, SAILS)).toMatchObject([{ type: 'SentencesRestored' }]);
    expect(said(state, LIVES, SAILS, bergen)).toMatchObject([{ type: 'MemoryRestored' }]);
  });
});
