import { compareMembers, foldedTextOf, statementOf } from '#read-side/views';
import type { ScoredHit } from '../pipeline/scored-hits.ts';

/**
 * Lists show the oldest of memories that say the same. Puts it in the place of each hit, if it is among all hits. The hits keep
 * their similarities. A memory that is forgotten or has expired does not take the place of an active one, or the reverse.
 * @param now milliseconds since the epoch
 */
export function asFirstMembers(
  hits: readonly ScoredHit[],
  all: readonly ScoredHit[],
  now: number,
): readonly ScoredHit[] {
  const byText = Map.groupBy(all.filter(isMemory), textOf);
  return hits.map((one) => {
    const alike = isMemory(one) ? (byText.get(textOf(one)) ?? []) : [];
    if (alike.length < 2) return one;
    const said = saidBy(one, now);
    const [first = one] = alike
      .filter((other) => saidBy(other, now) === said)
      .sort((a, b) => compareMembers(sortKeyOf(a), sortKeyOf(b)));
    return { ...one, hit: { ...one.hit, unit: first.hit.unit, document: first.hit.document } };
  });
}

const isMemory = ({ hit }: ScoredHit): boolean => hit.unit.kind === 'memory';
const textOf = ({ hit }: ScoredHit): string => foldedTextOf(hit.unit);

function saidBy({ hit: { unit, document } }: ScoredHit, now: number): string {
  const { inactiveFrom = null } = document.memory ?? {};
  return `${inactiveFrom !== null && inactiveFrom <= now} ${statementOf({ ...unit, document })}`;
}

const sortKeyOf = ({ hit: { unit, document } }: ScoredHit) => {
  const { id, ordinal } = unit;
  return { id, ordinal, createdAt: document.createdAt };
};
