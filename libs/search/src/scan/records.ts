/**
 * What the kernel writes for each entry's header and each of its units, in the order of the scan. Offsets in bytes;
 * `kernel/scan.wat` writes the same. The bytes that a record does not use keep what an earlier scan left there.
 */
export const RECORD = {
  /** uint32: bit q = the question's term q occurs */
  mask: 0,
  /** uint32: terms with repetitions */
  length: 4,
  /** uint32: a unit's speaker hash; of a header the number of units that follow */
  speaker: 8,
  units: 8,
  /** uint32, units only: the unit's flags, and from bit 8 which cosines there are */
  flags: 12,
  /** float32, units only */
  cosineBare: 16,
  cosineWide: 20,
  /** uint8 each: how often term q occurs; only where bit q of the mask is set */
  counts: 24,
} as const;

export const COSINE_BARE = 1 << 8;
export const COSINE_WIDE = 2 << 8;

export const recordBytes = (queryTerms: number): number => RECORD.counts + Math.ceil(queryTerms / 4) * 4;

/** The records of one scan and whose they are; one element of `slots` and `candidates` per header record. */
export interface ScanRecords {
  readonly uint32: Uint32Array;
  readonly float32: Float32Array;
  readonly uint8: Uint8Array;
  /** Bytes from one record to the next. */
  readonly bytes: number;
  readonly length: number;
  readonly slots: readonly number[];
  readonly candidates: readonly boolean[];
}
