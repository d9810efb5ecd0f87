import {
  COUNT_BYTES,
  ENTRY,
  ENTRY_HEADER_BYTES,
  HAS_BARE,
  HAS_NEAR,
  HAS_OTHERS,
  HAS_WIDE,
  QUAD_BYTES,
  SCALE_BYTES,
  UNIT,
  UNIT_HEADER_BYTES,
} from '#features/search';

const TERM_BYTES = 4;
const TERMS_PER_QUAD = 4;

/** Vectors have a multiple of 32 dimensions. */
const STEP = 8;
const PRODUCTS = Array.from({ length: STEP }, (_, i) => `(int) e[at + i + ${i}] * v[i + ${i}]`).join(' + ');

/** Painless limits the loops of each function call to a million iterations, far more than any document needs. */
const FUNCTIONS = `
  int u32(byte[] e, int at) {
    return (e[at] & 255) | ((e[at + 1] & 255) << 8) | ((e[at + 2] & 255) << 16) | ((e[at + 3] & 255) << 24);
  }
  int dot(byte[] e, int at, int[] v) {
    int sum = 0;
    for (int i = 0; i < v.length; i += ${STEP}) { sum += ${PRODUCTS}; }
    return sum;
  }
  int cosine(byte[] e, int at, int scaleAt, int[] v, float scale) {
    return Float.floatToIntBits((float) dot(e, at, v) * (Float.intBitsToFloat(u32(e, scaleAt)) * scale));
  }
  int find(byte[] e, int at, int quads, int hash) {
    int low = 0;
    int high = quads * ${TERMS_PER_QUAD} - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int found = u32(e, at + middle * ${TERM_BYTES});
      if (found == hash) return middle;
      if (found != 0 && (found ^ Integer.MIN_VALUE) < (hash ^ Integer.MIN_VALUE)) { low = middle + 1; } else { high = middle - 1; }
    }
    return -1;
  }
  String held(byte[] e, int at, int quads, int[] terms, StringBuilder out) {
    int mask = 0;
    StringBuilder counts = new StringBuilder();
    for (int term = 0; term < terms.length; ++term) {
      int place = find(e, at, quads, terms[term]);
      if (place < 0) continue;
      mask |= 1 << term;
      counts.append(',').append(e[at + quads * ${TERMS_PER_QUAD * TERM_BYTES} + place] & 255);
    }
    out.append(',').append(mask);
    return counts.toString();
  }
`;

/**
 * Scans the entry of a document like `kernel/scan.wat` and returns the numbers of `ShardStatistics`: `found` are the keys
 * of the documents, each with a space in front, `numbers` the numbers, each with a comma in front.
 */
const MAP = `
  ${FUNCTIONS}
  boolean isSecond = params.second.length() > 0 && doc.containsKey(params.second) && doc[params.second].size() > 0;
  if (!isSecond && doc['entry'].size() == 0) return;
  BytesRef entry = doc[isSecond ? params.second : 'entry'].get(0);
  byte[] e = entry.bytes;
  int at = entry.offset;
  int units = u32(e, at + ${ENTRY.units});
  state.units += units;
  if (state.units > params.most) return;
  state.documents += 1;
  StringBuilder out = state.numbers;
  StringBuilder found = state.found;
  int[] terms = state.terms;
  int[] v = state.vector;
  float scale = (float) params.scale;
  int[] core = state.core;
  float coreScale = (float) params.coreScale;
  int dimensions = u32(e, at + ${ENTRY.dimensions});
  int usable = 0;
  boolean isOwn = !isSecond && doc['space'].size() > 0 && doc['space'].value.equals(params.space);
  if (v.length > 0 && v.length == dimensions && (isSecond || isOwn)) {
    usable = ${HAS_BARE | HAS_WIDE | HAS_NEAR | HAS_OTHERS};
  }
  found.append(' ').append(doc['document'].value);
  int quads = u32(e, at + ${ENTRY.quads});
  int length = u32(e, at + ${ENTRY.length});
  at += ${ENTRY_HEADER_BYTES};
  String counts = held(e, at, quads, terms, out);
  out.append(',').append(length).append(',').append(units).append(',0').append(counts);
  at += quads * ${QUAD_BYTES};
  for (int left = units; left > 0; --left) {
    int unit = at;
    quads = u32(e, unit + ${UNIT.quads});
    int vectors = e[unit + ${UNIT.vectors}];
    int compared = vectors & usable;
    at += ${UNIT_HEADER_BYTES};
    counts = held(e, at, quads, terms, out);
    at += quads * ${QUAD_BYTES};
    out.append(',').append(u32(e, unit + ${UNIT.length})).append(',').append(u32(e, unit + ${UNIT.speaker}));
    int tokens = (e[unit + ${UNIT.tokens}] & 255) | ((e[unit + ${UNIT.tokens} + 1] & 255) << 8);
    out.append(',').append(e[unit + ${UNIT.flags}] | (compared << 8) | (tokens << 16));
    int bare = 0;
    int ofCore = 0;
    int wide = u32(e, unit + ${UNIT.wideScale});
    if ((vectors & ${HAS_BARE}) != 0) {
      if (compared != 0) {
        bare = cosine(e, at, unit + ${UNIT.bareScale}, v, scale);
        if (core.length > 0) ofCore = cosine(e, at, unit + ${UNIT.bareScale}, core, coreScale);
      }
      at += dimensions;
    }
    if ((vectors & ${HAS_WIDE}) != 0) {
      if (compared != 0) wide = cosine(e, at, unit + ${UNIT.wideScale}, v, scale);
      at += dimensions;
    }
    if ((vectors & ${HAS_OTHERS}) != 0) {
      int others = u32(e, at);
      at += ${COUNT_BYTES};
      for (; others > 0; --others) {
        if (compared != 0) {
          int other = cosine(e, at + ${SCALE_BYTES}, at, v, scale);
          if (Float.intBitsToFloat(other) > Float.intBitsToFloat(bare)) bare = other;
        }
        at += ${SCALE_BYTES} + dimensions;
      }
    }
    if ((compared & ${HAS_BARE}) != 0) {
      out.append(',').append(bare);
      if (core.length > 0) out.append(',').append(ofCore);
    }
    if ((compared & ${HAS_WIDE | HAS_NEAR}) != 0) out.append(',').append(wide);
    out.append(counts);
  }
`;

const INIT = `
  int[] numbers(List list) {
    int[] array = new int[list.size()];
    for (int i = 0; i < array.length; ++i) { array[i] = (int) list.get(i); }
    return array;
  }
  state.units = 0;
  state.documents = 0;
  state.found = new StringBuilder();
  state.numbers = new StringBuilder();
  state.vector = numbers(params.vector);
  state.core = numbers(params.core);
  state.terms = numbers(params.terms);
`;

const COMBINE = `
  return [
    'units': state.units, 'documents': state.documents, 'found': state.found.toString(), 'numbers': state.numbers.toString()
  ];
`;

/** Scripts of a `scripted_metric`; its value is an array of one {@link ShardScan} per shard. */
export const SCAN_SCRIPTS = {
  init_script: INIT,
  map_script: MAP,
  combine_script: COMBINE,
  reduce_script: 'return states',
} as const;

export interface ScanParameters {
  /** Hashes, as signed integers. */
  readonly terms: readonly number[];
  /** −32,767…32,767. Empty: none. */
  readonly vector: readonly number[];
  readonly scale: number;
  /** The vector of the question's core, as `vector` and `scale`. Empty: none. */
  readonly core: readonly number[];
  readonly coreScale: number;
  /** Name of the vector's space, encoded as in the index. */
  readonly space: string;
  /** Field of the entries with vectors of this space beside their own. Empty: the query has no vector. */
  readonly second: string;
  /** Units scanned in a shard at the most; beyond that the result is not used. */
  readonly most: number;
}

export interface ShardScan {
  readonly units: number;
  readonly documents: number;
  /** Keys of documents, each with a space in front. */
  readonly found: string;
  /** Each with a comma in front. */
  readonly numbers: string;
}
