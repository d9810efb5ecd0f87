import { decideExpired } from './decide.ts';
import {
  cutSentences,
  expiresAt,
  inactiveFrom,
  isActive,
  isForgotten,
  isInDocument,
  latestVersion,
  memoryOfPassage,
  withPassage,
} from './memory.ts';
import { hashedSentences } from './sentences.ts';
import {
  changedBy,
  EXPIRED,
  FIRST,
  FORGOTTEN,
  memoryWith,
  NOON,
  PASSAGE,
  passageMemory,
  RESTORED,
  revisedTo,
} from './testing.ts';

/** What follows from the events of a memory. */

const at = (time: number) => new Date(time).toISOString();

test('a memory has all its versions, each with the time when it was recorded', () => {
  const memory = changedBy(memoryWith(), NOON + 1, revisedTo({ text: 'Mara lives in Bergen.' }));
  expect(memory).toMatchObject({ id: 'first', organization: 'org', tags: ['mara'], contentVersion: 2, passage: null });
  expect(memory.versions).toMatchObject([
    { id: 'first', text: FIRST.text, createdAt: NOON },
    { id: 'next', text: 'Mara lives in Bergen.', createdAt: NOON + 1 },
  ]);
});

test('a version that comes from another installation has the time when it was recorded there', () => {
  const memory = memoryWith({ recordedAt: at(NOON - 5) });
  expect(latestVersion(memory)).toEqual({ ...FIRST, createdAt: NOON - 5 });
});

test('a forgotten memory is inactive, and active again once it is restored', () => {
  const forgotten = changedBy(memoryWith(), NOON + 2, FORGOTTEN);
  expect(forgotten.forgotten).toEqual({ reason: 'why', at: NOON + 2 });
  expect([isActive(forgotten, NOON), inactiveFrom(forgotten), expiresAt(forgotten)]).toEqual([false, 0, null]);
  expect(isActive(changedBy(forgotten, NOON + 3, RESTORED), NOON + 3)).toBe(true);
});

test('a memory expires at its time, which is recorded once and until it gets another one', () => {
  const memory = memoryWith({ forgetAfter: at(NOON + 10) });
  expect([isActive(memory, NOON + 9), isActive(memory, NOON + 10)]).toEqual([true, false]);
  expect(decideExpired(memory, NOON + 9)).toEqual([]);
  const expired = changedBy(memory, NOON + 10, ...decideExpired(memory, NOON + 10));
  expect([expiresAt(memory), expiresAt(expired)]).toEqual([NOON + 10, null]);
  expect(decideExpired(expired, NOON + 20)).toEqual([]);
  const again = changedBy(expired, NOON + 20, revisedTo({ forgetAfter: at(NOON + 30) }));
  expect(decideExpired(again, NOON + 30)).toEqual([EXPIRED]);
  expect(inactiveFrom(changedBy(expired, NOON + 11, RESTORED))).toBeNull();
  expect(decideExpired(null, NOON)).toEqual([]);
});

test('a memory that was restored before its time expires nevertheless', () => {
  const memory = changedBy(memoryWith({ forgetAfter: at(NOON + 10) }), NOON + 5, FORGOTTEN, RESTORED);
  expect(inactiveFrom(memory)).toBe(NOON + 10);
});

describe('given a memory that was formed from a document', () => {
  const [LIVES, SAILS] = PASSAGE.sentences as readonly [string, string];

  test('without a stream, it has one version: the text of the document', () => {
    const memory = memoryOfPassage(PASSAGE);
    expect(memory.versions).toMatchObject([{ id: 'passage', text: PASSAGE.text, createdAt: NOON }]);
    expect([isInDocument(memory), isActive(memory, NOON)]).toEqual([true, true]);
  });

  test('its first version has the text of the document, which its stream does not hold', () => {
    const memory = passageMemory(revisedTo({ text: 'Mara lives in Bergen.' }));
    expect(memory.versions[0]?.text).toBe('');
    const { versions, tags } = withPassage(memory, { ...PASSAGE, tags: ['mara', 'home'] }, PASSAGE.text);
    expect(versions.map(({ text, createdAt }) => [text, createdAt])).toEqual([
      [PASSAGE.text, NOON],
      ['Mara lives in Bergen.', NOON + 1],
    ]);
    expect([isInDocument(memory), tags]).toEqual([false, ['mara', 'home']]);
  });

  test('its sentences are cut, but for those that were said again, until it is forgotten again', () => {
    const forgotten = passageMemory(FORGOTTEN);
    expect(cutSentences(forgotten)).toEqual([LIVES, SAILS]);
    const partly = changedBy(forgotten, NOON + 2, { type: 'SentencesRestored', payload: { sentences: [SAILS] } });
    expect([inactiveFrom(partly), cutSentences(partly)]).toEqual([0, [LIVES]]);
    expect([isForgotten(forgotten), isForgotten(partly)]).toEqual([true, false]);
    expect(cutSentences(changedBy(partly, NOON + 3, FORGOTTEN))).toEqual([LIVES, SAILS]);
  });
});

test('sentences are compared by their words', () => {
  const hashes = (text: string) => hashedSentences(text).map(({ hash }) => hash);
  expect(hashes('It is 5 p.m.! Now…')).toEqual(hashes('it IS  5 (p.m.)\nNOW'));
  expect(hashes('It is.')).not.toEqual(hashes('It was.'));
  expect(hashes('***')).not.toEqual(hashes('---'));
});
