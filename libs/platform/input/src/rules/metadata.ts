import { asDecorator, type Complaint, isObject, Rule } from '../rule.ts';

const MAX_BYTES = 64 * 1024;
/** JSON escapes a code unit with at most six characters. */
const MAX_BYTES_PER_UNIT = 6;

const SCALAR = { type: ['string', 'number', 'boolean'] };

/** JSON has numbers beyond the range of a double, such as 1e400, which are read as infinite and stored as null. */
const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || Number.isFinite(value) || typeof value === 'boolean';

const scalarsOf = (value: unknown): string =>
  typeof value === 'number' ? 'must be a number within the range of a double' : 'must be a string, number or boolean';

/** A flat object of scalars, at most 64 KiB as JSON. */
export function IsMetadata(): PropertyDecorator {
  const schema = { type: 'object', additionalProperties: SCALAR };
  return asDecorator('isMetadata', new Rule(schema, (value) => metadataComplaint(value)));
}

/** As `IsMetadata`, of a memory: lists of strings as well. */
export function IsMemoryMetadata(): PropertyDecorator {
  const list = { type: 'array', items: { type: 'string' } };
  const schema = { type: 'object', additionalProperties: { oneOf: [SCALAR, list] } };
  return asDecorator('isMemoryMetadata', new Rule(schema, (value) => metadataComplaint(value, true)));
}

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function metadataComplaint(value: unknown, withLists = false): Complaint | null {
  const code = 'invalid_metadata';
  if (!isObject(value)) return { code, says: 'must be an object' };
  let units = 2;
  let characters = 0;
  for (const key of Object.keys(value)) {
    const one = value[key];
    const isList = withLists && isTextList(one);
    if (!isScalar(one) && !isList) return { code, below: `.${key}`, says: scalarsOf(one) };
    const length = typeof one === 'string' ? one.length : isList ? JSON.stringify(one).length : 0;
    units += key.length + (length || 24) + 6;
    characters += key.length + length;
  }
  const tooLarge = { code, says: `must have at most ${MAX_BYTES} bytes as JSON` } as const;
  if (characters > MAX_BYTES) return tooLarge;
  // Serializes only what may exceed the limit.
  if (units * MAX_BYTES_PER_UNIT <= MAX_BYTES) return null;
  return Buffer.byteLength(JSON.stringify(value)) > MAX_BYTES ? tooLarge : null;
}

/** Scalars that have to match; an array stands for any of its scalars. */
export function IsMetadataMatch(): PropertyDecorator {
  const anyOf = { type: 'array', items: SCALAR };
  const schema = { type: 'object', additionalProperties: { oneOf: [SCALAR, anyOf] } };
  const rule = new Rule(schema, (value) => {
    if (!isObject(value)) return { says: 'must be an object' };
    for (const [key, one] of Object.entries(value)) {
      if (!isScalar(one) && !(Array.isArray(one) && one.every(isScalar))) {
        const says = typeof one === 'number' ? scalarsOf(one) : 'must be a string, number, boolean or an array of them';
        return { below: `.${key}`, says };
      }
    }
    return null;
  });
  return asDecorator('isMetadataMatch', rule);
}
