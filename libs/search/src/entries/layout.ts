/**
 * The byte layout of an entry, version 1. Little endian; every field, record and entry starts at a multiple of 4 bytes, so
 * that entries can be concatenated. `kernel/scan.wat` reads the same offsets.
 *
 * entry:  ENTRY_HEADER_BYTES, words of the header, then the units one after another
 * unit:   UNIT_HEADER_BYTES, words, then the int8 values of the bare and of the wide vector (`dimensions` bytes each),
 *         each present only if its bit in `vectors` is set
 * words:  `quads` x 4 term hashes (uint32, padded with 0, which is never a hash), then as many counts (uint8)
 */
export const ENTRY_VERSION = 1;

export const ENTRY_HEADER_BYTES = 24;
export const ENTRY = {
  /** uint32: ENTRY_VERSION */
  version: 0,
  /** uint32: length of the whole entry */
  bytes: 4,
  /** uint32: number of units */
  units: 8,
  /** uint32: dimensions of the vectors, a multiple of 32; 0 without vectors */
  dimensions: 12,
  /** uint32: groups of four terms */
  quads: 16,
  /** uint32: number of terms, repetitions included */
  length: 20,
} as const;

export const UNIT_HEADER_BYTES = 24;
export const UNIT = {
  /** uint32: groups of four terms */
  quads: 0,
  /** uint32: number of terms, repetitions included */
  length: 4,
  /** uint32: speaker hash or 0 */
  speaker: 8,
  /** uint8: ENDS_IN_QUESTION | HOLDS_TIME_WORD */
  flags: 12,
  /** uint8: HAS_BARE | HAS_WIDE */
  vectors: 13,
  /** float32 each: factor of the int8 values */
  bareScale: 16,
  wideScale: 20,
} as const;

export const HAS_BARE = 1;
export const HAS_WIDE = 2;

/** Bytes of a group of four terms with its counts. */
export const QUAD_BYTES = 4 * 4 + 4;
export const DIMENSION_STEP = 32;
