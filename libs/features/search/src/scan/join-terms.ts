import type { PreparedQuery } from './query.ts';
import { RECORD, type ScanRecords } from './records.ts';

/** Most occurrences that a record can hold. */
const MOST = 255;

/**
 * Makes records that count the hashes of a query count its terms: a term occurs if one of its hashes does, as often as all of
 * them. Changes nothing where each term has one hash.
 */
export function joinTerms(records: ScanRecords, { terms, hashes }: Pick<PreparedQuery, 'terms' | 'hashes'>): void {
  if (hashes.length === terms.length) return;
  const termOf = terms.flatMap((term, place) => term.hashes.map(() => place));
  const { uint32, uint8, bytes } = records;
  for (let record = 0; record < records.length; record++) {
    const at = (record * bytes + RECORD.mask) / 4;
    const mask = uint32[at] as number;
    if (mask !== 0) uint32[at] = joinRecord(uint8, record * bytes + RECORD.counts, mask, termOf);
  }
}

/** @returns the mask of the terms */
function joinRecord(uint8: Uint8Array, counts: number, mask: number, termOf: readonly number[]): number {
  let joined = 0;
  for (let hash = 0; hash < termOf.length; hash++) {
    if (((mask >>> hash) & 1) === 0) continue;
    const term = termOf[hash] as number;
    const before = (joined >>> term) & 1 ? (uint8[counts + term] as number) : 0;
    // A term stands at or before each of its hashes, so no count that is still needed is overwritten.
    uint8[counts + term] = Math.min(MOST, before + (uint8[counts + hash] as number));
    joined |= 1 << term;
  }
  return joined >>> 0;
}

/** Adds up counts of the hashes of a query by its terms. */
export function countsByTerm({ terms }: Pick<PreparedQuery, 'terms'>, counts: readonly number[]): number[] {
  let hash = 0;
  return terms.map(({ hashes }) => {
    let sum = 0;
    for (const end = hash + hashes.length; hash < end; hash++) sum += counts[hash] ?? 0;
    return sum;
  });
}
