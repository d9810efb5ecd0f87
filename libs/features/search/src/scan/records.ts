/**
 * Byte offsets in the records that the kernel writes for each entry's header and each of its units, in the order of the
 * scan. `kernel/scan.wat` uses the same offsets. Unused bytes of a record keep values of earlier scans.
 */
export const RECORD = {
  /** uint32: bit q = query term q occurs */
  mask: 0,
  /** uint32: number of terms, repetitions included */
  length: 4,
  /** uint32: the speaker hash of a unit; the number of units of a header */
  speaker: 8,
  units: 8,
  /** uint32, units only: the unit's flags; from bit 8, COSINE_BARE | COSINE_WIDE | NEAR; from bit 16, its weight with NEAR */
  flags: 12,
  /** float32, units only: the highest of its vectors */
  cosineBare: 16,
  /** float32, units only; with NEAR, 1 / length of the weighted sum of its and its neighbours' vectors */
  cosineWide: 20,
  /** float32, units only: cosine of the bare form and the core of the question; valid only with COSINE_BARE */
  cosineCore: 24,
  /** uint8 each: occurrences of term q; valid only if bit q of the mask is set */
  counts: 28,
} as const;

/** The flags of the unit itself. */
export const UNIT_FLAGS = 0xff;
/** Of a unit that is left out; no flag of the unit itself has this bit. */
export const LEFT_OUT = 1 << 7;
export const COSINE_BARE = 1 << 8;
export const COSINE_WIDE = 2 << 8;
/** The wide cosine follows from those of the neighbours. */
export const NEAR = 4 << 8;

export const recordBytes = (queryTerms: number): number => RECORD.counts + Math.ceil(queryTerms / 4) * 4;

/** The records of one scan; `slots` and `candidates` have one element per header record. */
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
