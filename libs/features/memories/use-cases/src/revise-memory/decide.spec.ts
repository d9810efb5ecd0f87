import { err, ok } from '#platform/kernel';
import { changedBy, FIRST, FORGOTTEN, memoryWith, NOON } from '../../../src/testing.ts';
import { decideRevise } from './decide.ts';

const NEXT = { id: 'next', language: null };

test('a revision inherits what it does not name', () => {
  const memory = memoryWith({ forgetAfter: '2027-01-01T00:00:00.000Z', forgetReason: 'ends' });
  expect(decideRevise(memory, { ...NEXT, text: 'Bergen.' })).toMatchObject({
    value: [
      {
        ...{ type: 'MemoryRevised', contentVersion: 2, sizes: { characters: 7 } },
        payload: { ...NEXT, text: 'Bergen.', metadata: FIRST.metadata, forgetReason: 'ends' },
      },
    ],
  });
  expect(decideRevise(memory, { ...NEXT, text: 'Bergen.', forgetAfter: null })).toMatchObject({
    value: [{ payload: { forgetAfter: null, forgetReason: null } }],
  });
});

test('a revision that changes nothing records nothing, whatever the order of its keys', () => {
  const revise = (metadata: object) => decideRevise(memoryWith(), { ...NEXT, text: FIRST.text, metadata } as never);
  expect(revise({ n: 1, kind: 'home' })).toEqual(ok([]));
  expect(revise({ n: '1', kind: 'home' })).toMatchObject({ value: [{ type: 'MemoryRevised' }] });
});

test('a revision that does not fit into an event is refused', () => {
  const metadata = { note: '🚢'.repeat(20_000) };
  expect(decideRevise(memoryWith(), { ...NEXT, text: 'Bergen.', metadata })).toEqual(err('memory_too_large'));
});

test('a forgotten memory is not revised', () => {
  const forgotten = changedBy(memoryWith(), NOON, FORGOTTEN);
  expect(decideRevise(forgotten, { ...NEXT, text: 'Bergen.' })).toEqual(err('not_found'));
});
