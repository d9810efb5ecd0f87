import type { Item } from './conversation.ts';

type Kind = Pick<Item, 'kind' | 'calls' | 'results'>;

/**
 * Returns how many items at the beginning leave, so that the rest has a number of tokens at most. What stays begins with a
 * turn of the user and has each tool call with its result; the last turn of the user and all after it stays, also above the budget.
 * @param items without system text
 * @param step what leaves is rounded up to a multiple of this number of tokens
 */
export function itemsToDrop(items: readonly Kind[], tokens: readonly number[], budget: number, step: number): number {
  const excess = tokens.reduce((sum, count) => sum + count, 0) - budget;
  if (excess <= 0) return 0;
  const toLeave = Math.ceil(excess / step) * step;
  let last = 0;
  let left = 0;
  let at = 0;
  for (const cut of cutsOf(items)) {
    for (; at < cut; at += 1) left += tokens[at] as number;
    last = cut;
    if (left >= toLeave) break;
  }
  return last;
}

/** Returns the places before which all may leave: where the user begins to speak, and no tool call waits for its result. */
function* cutsOf(items: readonly Kind[]): Generator<number> {
  const ends = lastResults(items);
  let open = 0;
  for (const [i, { kind, results }] of items.entries()) {
    const begins = kind === 'user' && results.length === 0 && items[i - 1]?.kind !== 'user';
    if (i > 0 && begins && open < i) yield i;
    open = Math.max(open, ends[i] as number);
  }
}

/** Returns for each item the place of the last result of its calls. A result belongs to the first call of its id without one. */
function lastResults(items: readonly Kind[]): number[] {
  const ends = items.map(() => 0);
  const waiting = new Map<string, number[]>();
  for (const [i, { calls, results }] of items.entries()) {
    for (const call of calls) {
      const places = waiting.get(call);
      if (places === undefined) waiting.set(call, [i]);
      else places.push(i);
    }
    for (const result of results) {
      const call = waiting.get(result)?.shift();
      if (call !== undefined) ends[call] = i;
    }
  }
  return ends;
}
