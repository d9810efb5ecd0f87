import { mnemeError } from '#platform/kernel';
import type { QuantizedVector } from '#ports/vector-store';
import {
  COUNT_BYTES,
  DIMENSION_STEP,
  ENTRY,
  ENTRY_HEADER_BYTES,
  ENTRY_VERSION,
  HAS_BARE,
  HAS_NEAR,
  HAS_OTHERS,
  HAS_WIDE,
  QUAD_BYTES,
  SCALE_BYTES,
  UNIT,
  UNIT_HEADER_BYTES,
  vectorBytesAt,
} from './layout.ts';
import { inverseLengthAt, weightOf } from './near.ts';
import { dimensionsOf, quantizedFrom, scaleOf, valuesOf } from './quantize.ts';
import { type IndexEntry, type IndexedUnit, type UnitVectors, type WordCounts, withVectorsOf } from './unit.ts';

/**
 * Encodes an entry in the stored and scanned form (`layout.ts`).
 * @throws Error if its vectors differ in dimensions, or the dimensions are not a multiple of 32
 */
export function encodeEntry(entry: IndexEntry): Uint8Array {
  const dimensions = dimensionsOfEntry(entry);
  const bytes =
    ENTRY_HEADER_BYTES +
    wordBytes(entry.header) +
    entry.units.reduce((sum, unit) => sum + UNIT_HEADER_BYTES + wordBytes(unit) + vectorBytes(unit), 0);
  const view = new DataView(new ArrayBuffer(bytes));
  view.setUint32(ENTRY.version, ENTRY_VERSION, true);
  view.setUint32(ENTRY.bytes, bytes, true);
  view.setUint32(ENTRY.units, entry.units.length, true);
  view.setUint32(ENTRY.dimensions, dimensions, true);
  view.setUint32(ENTRY.quads, quadsOf(entry.header), true);
  view.setUint32(ENTRY.length, entry.header.length, true);

  let at = writeWords(view, ENTRY_HEADER_BYTES, entry.header);
  entry.units.forEach((unit, place) => {
    at = writeUnit(view, at, unit, inverseLengthAt(entry.units, place));
  });
  return new Uint8Array(view.buffer);
}

/** The bytes are not an entry of the version that this program reads, or not a whole one. */
export class DamagedEntryError extends mnemeError('permanent', 'entry_damaged') {}

/**
 * Decodes one entry.
 * @throws DamagedEntryError if the bytes are not one whole entry
 */
export function decodeEntry(bytes: Uint8Array): IndexEntry {
  try {
    return decode(bytes);
  } catch (error) {
    throw error instanceof RangeError ? new DamagedEntryError(error.message, { cause: error }) : error;
  }
}

function decode(bytes: Uint8Array): IndexEntry {
  const length = entryBytes(bytes, 0);
  const view = new DataView(bytes.buffer, bytes.byteOffset, length);
  const dimensions = view.getUint32(ENTRY.dimensions, true);
  const headerQuads = view.getUint32(ENTRY.quads, true);
  const header = readWords(view, ENTRY_HEADER_BYTES, headerQuads, view.getUint32(ENTRY.length, true));

  const units: IndexedUnit[] = [];
  let at = ENTRY_HEADER_BYTES + headerQuads * QUAD_BYTES;
  for (let left = view.getUint32(ENTRY.units, true); left > 0; left--) {
    const quads = view.getUint32(at + UNIT.quads, true);
    const vectors = view.getUint8(at + UNIT.vectors);
    const words = at + UNIT_HEADER_BYTES;
    const bareAt = words + quads * QUAD_BYTES;
    const wideAt = bareAt + (vectors & HAS_BARE ? dimensions : 0);
    const othersAt = wideAt + (vectors & HAS_WIDE ? dimensions : 0);
    const count = vectors & HAS_OTHERS ? view.getUint32(othersAt, true) : 0;
    const others = Array.from({ length: count }, (_, i) => {
      const scaleAt = othersAt + COUNT_BYTES + i * (SCALE_BYTES + dimensions);
      const values = bytes.subarray(scaleAt + SCALE_BYTES, scaleAt + SCALE_BYTES + dimensions);
      return quantizedFrom(view.getFloat32(scaleAt, true), values);
    });
    const end = bareAt + vectorBytesAt(view, bareAt, vectors, dimensions);
    const vector = (bit: number, scaleAt: number, from: number): QuantizedVector | null =>
      vectors & bit
        ? quantizedFrom(view.getFloat32(at + scaleAt, true), bytes.subarray(from, from + dimensions))
        : null;
    units.push({
      ...readWords(view, words, quads, view.getUint32(at + UNIT.length, true)),
      speaker: view.getUint32(at + UNIT.speaker, true),
      flags: view.getUint8(at + UNIT.flags),
      bare: vector(HAS_BARE, UNIT.bareScale, bareAt),
      wide: vector(HAS_WIDE, UNIT.wideScale, wideAt),
      ...(count > 0 && { others }),
      ...(vectors & HAS_NEAR && { tokens: view.getUint16(at + UNIT.tokens, true) }),
    });
    at = end;
  }
  return { header, units };
}

/**
 * Returns the length in bytes of the entry at byte `at`.
 * @throws DamagedEntryError if no whole entry of this version starts there
 */
export function entryBytes(bytes: Uint8Array, at: number): number {
  const version = at + ENTRY_HEADER_BYTES > bytes.length ? 0 : uint32At(bytes, at + ENTRY.version);
  if (version !== ENTRY_VERSION) {
    throw new DamagedEntryError(`No index entry of version ${ENTRY_VERSION} at byte ${at} of ${bytes.length}`);
  }
  const length = uint32At(bytes, at + ENTRY.bytes);
  if (length < ENTRY_HEADER_BYTES || at + length > bytes.length) {
    throw new DamagedEntryError(`The index entry at byte ${at} is cut off`);
  }
  return length;
}

/**
 * Returns the number of units of the entry at byte `at`.
 * @throws DamagedEntryError if the entry is too short for them
 */
export function unitsOf(bytes: Uint8Array, at: number): number {
  const units = uint32At(bytes, at + ENTRY.units);
  if (units * UNIT_HEADER_BYTES > uint32At(bytes, at + ENTRY.bytes)) {
    throw new DamagedEntryError(`The index entry at byte ${at} is too short for ${units} units`);
  }
  return units;
}

/** Returns the entry with its vectors replaced. An entry is written before its text is embedded. @param vectors one per unit */
export function withVectors(bytes: Uint8Array, vectors: readonly (UnitVectors | null)[]): Uint8Array {
  const { header, units } = decodeEntry(bytes);
  if (units.length !== vectors.length) throw new Error(`${vectors.length} vectors for ${units.length} units`);
  return encodeEntry({
    header,
    units: units.map((unit, i) => withVectorsOf(unit, vectors[i] ?? null)),
  });
}

/** Faster than a DataView for each of thousands of small rows per query; a row may start at any byte. */
const uint32At = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)) >>>
  0;

const quadsOf = (words: WordCounts): number => Math.ceil(words.terms.length / 4);
const wordBytes = (words: WordCounts): number => quadsOf(words) * QUAD_BYTES;
const vectorBytes = ({ bare, wide, others = [] }: UnitVectors): number =>
  (bare === null ? 0 : dimensionsOf(bare)) +
  (wide === null ? 0 : dimensionsOf(wide)) +
  others.reduce((sum, other) => sum + SCALE_BYTES + dimensionsOf(other), others.length > 0 ? COUNT_BYTES : 0);

function dimensionsOfEntry(entry: IndexEntry): number {
  const all = new Set(
    entry.units.flatMap(({ bare, wide, others = [] }) =>
      [bare, wide, ...others].flatMap((vector) => (vector ? [dimensionsOf(vector)] : [])),
    ),
  );
  const [dimensions = 0] = all;
  if (all.size > 1) throw new Error(`Vectors of ${[...all].join(' and ')} dimensions in one entry`);
  if (dimensions % DIMENSION_STEP !== 0) {
    throw new Error(`Vectors of ${dimensions} dimensions: not a multiple of ${DIMENSION_STEP}`);
  }
  return dimensions;
}

/** @param inverseLength as `inverseLengthAt` */
function writeUnit(view: DataView, at: number, unit: IndexedUnit, inverseLength: number): number {
  const { bare, wide, others = [] } = unit;
  const weight = weightOf(unit);
  const vectors =
    (bare ? HAS_BARE : 0) | (wide ? HAS_WIDE : 0) | (weight > 0 ? HAS_NEAR : 0) | (others.length > 0 ? HAS_OTHERS : 0);
  view.setUint32(at + UNIT.quads, quadsOf(unit), true);
  view.setUint32(at + UNIT.length, unit.length, true);
  view.setUint32(at + UNIT.speaker, unit.speaker, true);
  view.setUint8(at + UNIT.flags, unit.flags);
  view.setUint8(at + UNIT.vectors, vectors);
  view.setUint16(at + UNIT.tokens, weight, true);
  view.setFloat32(at + UNIT.bareScale, bare ? scaleOf(bare) : 0, true);
  view.setFloat32(at + UNIT.wideScale, wide ? scaleOf(wide) : inverseLength, true);
  let end = writeWords(view, at + UNIT_HEADER_BYTES, unit);
  const values = new Int8Array(view.buffer);
  for (const vector of [bare, wide]) {
    if (vector === null) continue;
    values.set(valuesOf(vector), end);
    end += dimensionsOf(vector);
  }
  if (others.length === 0) return end;
  view.setUint32(end, others.length, true);
  end += COUNT_BYTES;
  for (const vector of others) {
    view.setFloat32(end, scaleOf(vector), true);
    values.set(valuesOf(vector), end + SCALE_BYTES);
    end += SCALE_BYTES + dimensionsOf(vector);
  }
  return end;
}

function writeWords(view: DataView, at: number, words: WordCounts): number {
  const countsAt = at + quadsOf(words) * 16;
  for (let i = 0; i < words.terms.length; i++) {
    view.setUint32(at + i * 4, words.terms[i] as number, true);
    view.setUint8(countsAt + i, words.counts[i] as number);
  }
  return at + wordBytes(words);
}

function readWords(view: DataView, at: number, quads: number, length: number): WordCounts {
  const padded = Uint32Array.from({ length: quads * 4 }, (_, i) => view.getUint32(at + i * 4, true));
  const terms = padded.filter((term) => term !== 0);
  const counts = Uint8Array.from(terms, (_, i) => view.getUint8(at + quads * 16 + i));
  return { terms, counts, length };
}
