import type { Steps } from '#platform/kernel';

/** What the turns that are sent have in common with the stored ones. */
export interface CommonTurns {
  /** Equal turns at the beginning of both. */
  readonly beginning: number;
  /** Turns at the beginning of the sent ones that are the last stored ones. 0: fewer than two, which may be a chance. */
  readonly window: number;
}

/** Comparisons before other work may go on. */
const AT_ONCE = 1_000;
const LEAST_WINDOW = 2;

/** Linear in both lengths. */
export function* commonTurns<T>(
  stored: readonly T[],
  sent: readonly T[],
  isSame: (a: T, b: T) => boolean,
): Steps<CommonTurns> {
  let beginning = 0;
  while (beginning < Math.min(stored.length, sent.length)) {
    if (!isSame(stored[beginning] as T, sent[beginning] as T)) break;
    beginning += 1;
    if (beginning % AT_ONCE === 0) yield;
  }
  const window = yield* overlap(stored.slice(-sent.length), sent, isSame);
  return { beginning, window: window < LEAST_WINDOW ? 0 : window };
}

/** Whether so many turns at the beginning make what is sent another version of the stored turns. */
export const isEditedVersion = ({ beginning }: CommonTurns, stored: readonly unknown[]): boolean =>
  beginning * 3 > stored.length * 2;

/** Returns the length of the longest end of `stored` with which `sent` begins, by the algorithm of Knuth, Morris and Pratt. */
function* overlap<T>(stored: readonly T[], sent: readonly T[], isSame: (a: T, b: T) => boolean): Steps<number> {
  /** By the length of a beginning of `sent`: the longest shorter beginning with which it ends. */
  const shorter: number[] = [0, 0];
  const longer = (matched: number, turn: T): number => {
    let length = matched;
    while (length > 0 && (length === sent.length || !isSame(sent[length] as T, turn)))
      length = shorter[length] as number;
    return length < sent.length && isSame(sent[length] as T, turn) ? length + 1 : length;
  };
  let matched = 0;
  for (let i = 1; i < sent.length; i++) {
    matched = longer(matched, sent[i] as T);
    shorter.push(matched);
    if (i % AT_ONCE === 0) yield;
  }
  matched = 0;
  for (const [i, turn] of stored.entries()) {
    matched = longer(matched, turn);
    if (i % AT_ONCE === 0) yield;
  }
  return matched;
}
