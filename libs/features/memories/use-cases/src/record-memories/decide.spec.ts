import { changedBy, FIRST, FORGOTTEN, memoryWith, NOON } from '../../../src/testing.ts';
import { decideRecord, sameMemory } from './decide.ts';

const { id: _id, language: _language, ...DETAILS } = FIRST;

test('a memory begins with its first version', () => {
  expect(decideRecord(FIRST)).toEqual({
    ...{ type: 'MemoryRecorded', contentVersion: 1, sizes: { characters: FIRST.text.length } },
    payload: FIRST,
  });
});

test('an active memory with the same details is found, a forgotten or expired one is not', () => {
  const forgetAfter = new Date(NOON + 10).toISOString();
  const [active, expiring] = [memoryWith({ id: 'active' }), memoryWith({ forgetAfter })];
  const forgotten = changedBy(memoryWith(), NOON, FORGOTTEN);
  expect(sameMemory([forgotten, active], DETAILS, NOON)).toBe(active);
  expect(sameMemory([active], { ...DETAILS, isStatic: true }, NOON)).toBeUndefined();
  expect(sameMemory([expiring], { ...DETAILS, forgetAfter }, NOON + 9)).toBe(expiring);
  expect(sameMemory([expiring], { ...DETAILS, forgetAfter }, NOON + 10)).toBeUndefined();
});
