import { inactiveFrom, type MemoryEvent, sentenceHashes } from '#features/memories';
import { changedBy, FORGOTTEN, NOON, PASSAGE, passageMemory, revisedTo } from '../../../../memories/src/testing.ts';
import { decideSaidAgain } from './decide-said-again.ts';

const [LIVES, SAILS] = PASSAGE.sentences as readonly [string, string];
const forgotten = passageMemory(FORGOTTEN);
const said = (memory: typeof forgotten, ...sentences: readonly string[]): readonly MemoryEvent[] =>
  decideSaidAgain(memory, new Set(sentences), NOON + 2);

describe('given a forgotten memory, when a text says its sentences again', () => {
  test('then the memory is restored if it says all of them', () => {
    expect(said(forgotten, SAILS, 'other', LIVES)).toEqual([{ type: 'MemoryRestored', payload: null }]);
    expect(said(forgotten, 'other')).toEqual([]);
  });

  test('then some of them are shown again, and the memory is restored with the last one', () => {
    const first = said(forgotten, SAILS, 'other');
    expect(first).toEqual([{ type: 'SentencesRestored', payload: { sentences: [SAILS] } }]);
    const partly = changedBy(forgotten, NOON + 2, ...first);
    expect(said(partly, SAILS)).toEqual([]);
    const restored = changedBy(partly, NOON + 3, ...said(partly, LIVES));
    expect(inactiveFrom(restored)).toBeNull();
    expect(said(restored, LIVES, SAILS)).toEqual([]);
  });

  test('then what a caller has made of it counts as well', () => {
    const revised = passageMemory(revisedTo({ text: 'Mara lives in Bergen.' }), FORGOTTEN);
    const [bergen = ''] = sentenceHashes('Mara lives in Bergen.');
    expect(said(revised, LIVES, SAILS)).toMatchObject([{ type: 'SentencesRestored' }]);
    expect(said(revised, LIVES, SAILS, bergen)).toMatchObject([{ type: 'MemoryRestored' }]);
  });
});
