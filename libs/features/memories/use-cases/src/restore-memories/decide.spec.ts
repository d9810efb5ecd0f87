import { ok } from '#platform/kernel';
import { changedBy, FORGOTTEN, memoryWith, NOON, RESTORED } from '../../../src/testing.ts';
import { decideRestore } from './decide.ts';

test('a forgotten or expired memory is restored, an active one stays as it is', () => {
  const expiring = memoryWith({ forgetAfter: new Date(NOON + 10).toISOString() });
  expect(decideRestore(changedBy(memoryWith(), NOON, FORGOTTEN), NOON)).toEqual(ok([RESTORED]));
  expect(decideRestore(expiring, NOON + 10)).toEqual(ok([RESTORED]));
  expect(decideRestore(expiring, NOON + 9)).toEqual(ok([]));
});
