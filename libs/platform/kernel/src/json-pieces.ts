/** UTF-16 code units of a piece, about: what takes less than a millisecond to encode or to hash. */
const PIECE = 131_072;

/** A value up to this weight is short, and its JSON is made at once. A character weighs one. */
const SHORT = 8_192;
/** What each value weighs beside its characters. */
const VALUE = 8;

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Splits a string, never between the halves of a surrogate pair. */
export function* stringPieces(text: string): Generator<string, void, undefined> {
  for (let start = 0; start < text.length; ) {
    let end = start + PIECE;
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    yield text.slice(start, end);
    start = end;
  }
}

/** Returns `JSON.stringify` of plain JSON in pieces, each of which takes a short time. Undefined fields are left out. */
export function* jsonPieces(value: unknown): Generator<string, void, undefined> {
  let piece = '';
  for (const token of tokens(value)) {
    piece += token;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function* tokens(value: unknown): Generator<string, void, undefined> {
  if (typeof value === 'string' && value.length > PIECE) {
    yield '"';
    for (const piece of stringPieces(value)) yield JSON.stringify(piece).slice(1, -1);
    yield '"';
  } else if (weigh(value, SHORT) >= 0) {
    yield JSON.stringify(value) ?? 'null';
  } else if (Array.isArray(value)) {
    let before = '[';
    for (const item of value) {
      yield before;
      yield* tokens(item);
      before = ',';
    }
    yield before === '[' ? '[]' : ']';
  } else {
    let before = '{';
    for (const [key, field] of Object.entries(value as object)) {
      if (field === undefined) continue;
      yield `${before}${JSON.stringify(key)}:`;
      yield* tokens(field);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  }
}

/** Returns what is left when a value is weighed, negative if it is too heavy. */
function weigh(value: unknown, left: number): number {
  let rest = left - VALUE;
  if (typeof value === 'string') return rest - value.length;
  if (typeof value !== 'object' || value === null) return rest;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && rest >= 0; i += 1) rest = weigh(value[i], rest);
    return rest;
  }
  for (const key in value) {
    if (rest < 0) break;
    rest = weigh((value as Readonly<Record<string, unknown>>)[key], rest - key.length);
  }
  return rest;
}
