import { contentHash } from '#platform/kernel';
import type { Turn } from './format.ts';

/** Of role and text. White space around the text does not count, because clients cut it. */
export type TurnHash = string;

export const hashOfTurn = ({ role, text }: Turn): TurnHash => contentHash(role, text.trim());

/** How the turns that a client has sent continue those that are stored. */
export interface NewTurns {
  /** So many stored turns come before what the client has sent, and it has left them out. */
  readonly history: number;
  /** So many stored turns stay. Fewer than all: the client has edited a turn or wants another answer. */
  readonly kept: number;
  /** Follow the ones that stay. */
  readonly fresh: readonly Turn[];
}

/** Equal turns that are no chance. */
const LEAST = 2;

/**
 * Finds the stored turns among those that were sent, by position and hash. Linear in both lengths. The first that holds:
 *
 * 1. The client sends the end of what is stored, as its whole history or as a tail (`sent` begins with it), or behind a
 *    beginning of its own, such as a summary (two turns or more): what follows is new.
 * 2. It sends a run of two turns or more that are stored in the middle, and then something else or nothing: a turn was
 *    edited, or an answer is wanted again. The stored turns after the run are replaced. Of runs of one length, the last.
 * 3. It sends all that is stored but the last turn, an answer that is wanted again.
 * 4. Otherwise all is new, and what is stored comes before it.
 */
export function newTurns(stored: readonly TurnHash[], sent: readonly Turn[]): NewTurns {
  const hashes = sent.map(hashOfTurn);
  const all = stored.length;
  // By place in `stored`: turns from there on with which `sent` begins.
  const runs = commonBeginnings(hashes, stored);
  const tail =
    all -
    clamp(
      runs.findIndex((run, at) => at + run === all),
      all,
    );
  const inside = insideOf(stored, hashes);
  if (inside.length > Math.max(tail, LEAST - 1)) return { history: 0, kept: all, fresh: sent.slice(inside.end) };
  if (tail > 0) return { history: all - tail, kept: all, fresh: sent.slice(tail) };

  const longest = runs.reduce((most, run) => Math.max(most, run), 0);
  const at = longest >= LEAST ? runs.lastIndexOf(longest) : 0;
  const run = runs[at] ?? 0;
  if (run >= LEAST || (run > 0 && run === all - 1)) return { history: at, kept: at + run, fresh: sent.slice(run) };
  return { history: all, kept: all, fresh: sent };
}

const clamp = (index: number, most: number): number => (index === -1 ? most : index);

/** Returns the longest end of `stored` that `sent` has anywhere, and where it ends there; the last one of this length. */
function insideOf(stored: readonly TurnHash[], sent: readonly TurnHash[]): { length: number; end: number } {
  const backwards = commonBeginnings(stored.toReversed(), sent.toReversed());
  let longest = { length: 0, end: 0 };
  for (const [i, length] of backwards.entries())
    if (length > longest.length) longest = { length, end: sent.length - i };
  return longest;
}

/** Returns for each place of `list` how many elements from there on are those with which `pattern` begins (Z algorithm). */
function commonBeginnings(pattern: readonly string[], list: readonly string[]): number[] {
  const all: readonly (string | null)[] = [...pattern, null, ...list];
  const lengths = [0];
  let from = 0;
  let to = 0;
  for (let i = 1; i < all.length; i += 1) {
    let length = i < to ? Math.min(to - i, lengths[i - from] as number) : 0;
    while (i + length < all.length && all[length] === all[i + length]) length += 1;
    if (i + length > to) [from, to] = [i, i + length];
    lengths.push(length);
  }
  return lengths.slice(pattern.length + 1);
}
