import { newOrganization, row, units } from '../../../../../read-side/views/src/testing.ts';
import type { ScoredHit } from '../pipeline/scored-hits.ts';
import { asFirstMembers } from './first-members.ts';

const ORGANIZATION = newOrganization();
const NOW = Date.parse('2026-01-01T12:00:00.000Z');

const hit = (id: string, document: Parameters<typeof row>[1]) => {
  const [unit] = units('memory', ['Mara lives in Oslo.']);
  return { hit: { unit: { ...unit, id }, document: row(ORGANIZATION, document) } } as ScoredHit;
};
const shown = (...hits: readonly ScoredHit[]) => asFirstMembers(hits, hits, NOW).map((one) => one.hit.unit.id);

test('given memories that say the same, then each hit shows the oldest one', () => {
  const [later, first] = [hit('later', { id: 'a', createdAt: 2 }), hit('first', { id: 'b', createdAt: 1 })];
  expect(shown(later, first)).toEqual(['first', 'first']);
});

test('given memories of the same millisecond, then the ids of the memories decide, as in lists', () => {
  expect(shown(hit('y', { id: 'a', createdAt: 1 }), hit('x', { id: 'b', createdAt: 1 }))).toEqual(['x', 'x']);
});
