import type { DocumentRow } from '../../documents.ts';

const MINUTE_MS = 60_000;
/** Bits of the hash. With those of the minute they fit into a number that JavaScript holds exactly until 2097. */
const HASH_SIZE = 2 ** 27;

/**
 * Returns what documents are looked up by that were added by a request: the minute and a part of the hash. Numbers of one
 * minute are neighbours, so that the index grows at its end.
 */
const sentNumber = (sent: string, minute: number): number =>
  minute * HASH_SIZE + (Number.parseInt(sent.slice(0, 8), 16) % HASH_SIZE);

const minuteOf = (at: number): number => Math.floor(at / MINUTE_MS);

export const sentColumn = ({ sent, createdAt }: DocumentRow): number | null =>
  sent === undefined ? null : sentNumber(sent, minuteOf(createdAt));

/** Returns the numbers that documents with these hashes may have, if they were added between two times. */
export function sentNumbers(sent: readonly string[], since: number, until: number): number[] {
  const minutes: number[] = [];
  for (let minute = minuteOf(since); minute <= minuteOf(until); minute += 1) minutes.push(minute);
  return minutes.flatMap((minute) => sent.map((each) => sentNumber(each, minute)));
}
