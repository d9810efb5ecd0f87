import { err, ok } from '#platform/kernel';
import { changedBy, FORGOTTEN, memoryWith, NOON, PASSAGE, passageMemory } from '../../../src/testing.ts';
import { decideForget } from './decide.ts';

test('a memory is forgotten with the reason of the caller', () => {
  expect(decideForget(memoryWith(), 'She has moved.')).toEqual(
    ok([{ type: 'MemoryForgotten', payload: { reason: 'She has moved.' } }]),
  );
});

test('a forgotten memory is not forgotten again, unless a text has said some of it again', () => {
  expect(decideForget(changedBy(memoryWith(), NOON, FORGOTTEN), null)).toEqual(err('already_forgotten'));
  const sentences = PASSAGE.sentences.slice(0, 1);
  const partly = passageMemory(FORGOTTEN, { type: 'SentencesRestored', payload: { sentences } });
  expect(decideForget(partly, null)).toMatchObject({ ok: true });
});

test('an expired memory can be forgotten', () => {
  const expired = memoryWith({ forgetAfter: new Date(NOON - 1).toISOString() });
  expect(decideForget(expired, null)).toMatchObject({ ok: true });
});
