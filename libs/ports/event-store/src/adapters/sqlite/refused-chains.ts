import type { AppendChain, TogetherOptions } from '../../port.ts';

/** Returns the chains that must not be recorded now, with the reasons. */
export function refusalsOf(
  chains: readonly AppendChain[],
  admit: TogetherOptions['admit'],
): ReadonlyMap<AppendChain, Error> {
  const refusals = new Map<AppendChain, Error>();
  if (admit === undefined) return refusals;
  for (const chain of chains) {
    const refusal = admit(chain.flatMap(({ events }) => events));
    if (refusal !== null) refusals.set(chain, refusal);
  }
  return refusals;
}

/** Returns the numbers of the appends of some chains among the appends of all, from 0. */
export function numbersOf(
  chains: readonly AppendChain[],
  some: Pick<ReadonlyMap<AppendChain, unknown>, 'has' | 'size'>,
): readonly number[] {
  if (some.size === 0) return [];
  return chains.flatMap((chain) => chain.map(() => some.has(chain))).flatMap((isOne, number) => (isOne ? number : []));
}
