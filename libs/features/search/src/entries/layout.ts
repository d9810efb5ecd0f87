/**
 * The byte layout of an entry. Little endian; every field, record and entry starts at a multiple of 4 bytes, so
 * that entries can be concatenated. `kernel/scan.wat` reads the same offsets.
 *
 * entry:  ENTRY_HEADER_BYTES, words of the header, then the units one after another
 * unit:   UNIT_HEADER_BYTES, words, then the int8 values of the bare and of the wide vector (`dimensions` bytes each),
 *         each present only if its bit in `vectors` is set; with HAS_OTHERS, the number of other vectors (uint32), and
 *         of each the factor (float32) and the int8 values
 * words:  `quads` x 4 term hashes (uint32, padded with 0, which is never a hash), then as many counts (uint8)
 */
export const ENTRY_VERSION = 2;

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
  /** uint8: ENDS_IN_QUESTION | HOLDS_TIME_WORD | number of the language << 2, up to 31: scripts of OpenSearch read it as signed */
  flags: 12,
  /** uint8: HAS_BARE | HAS_WIDE | HAS_NEAR | HAS_OTHERS */
  vectors: 13,
  /** uint16, with HAS_NEAR: weight of the bare vector in the mean of the unit and its neighbours */
  tokens: 14,
  /** float32: factor of the int8 values of the bare vector */
  bareScale: 16,
  /** float32: factor of the int8 values of the wide vector; with HAS_NEAR, 1 / length of the weighted sum */
  wideScale: 20,
} as const;

export const HAS_BARE = 1;
export const HAS_WIDE = 2;
/** The wide vector is the weighted mean of the bare vectors of the unit and of the `NEIGHBOURS` units before and after it. */
export const HAS_NEAR = 4;
/** Of the bare vector and others, the nearest to the question counts. */
export const HAS_OTHERS = 8;

/** Bytes of a group of four terms with its counts. */
export const QUAD_BYTES = 4 * 4 + 4;
export const DIMENSION_STEP = 32;

/** Bytes of the number of a unit's other vectors, and of the factor in front of each. */
export const COUNT_BYTES = 4;
export const SCALE_BYTES = 4;

/**
 * Returns how many bytes the vectors of a unit take.
 * @param at where they begin
 * @param vectors the field of this name in the unit's header
 */
export function vectorBytesAt(view: DataView, at: number, vectors: number, dimensions: number): number {
  const own = (vectors & HAS_BARE ? dimensions : 0) + (vectors & HAS_WIDE ? dimensions : 0);
  if ((vectors & HAS_OTHERS) === 0) return own;
  return own + COUNT_BYTES + view.getUint32(at + own, true) * (SCALE_BYTES + dimensions);
}
