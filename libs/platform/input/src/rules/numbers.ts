import { asDecorator, Rule } from '../rule.ts';

/** A number from 0 to 1; a string that looks like one is refused. */
export function IsFraction(): PropertyDecorator {
  const rule = new Rule({ type: 'number', minimum: 0, maximum: 1 }, (value) =>
    typeof value === 'number' && value >= 0 && value <= 1 ? null : { says: 'must be a number from 0 to 1' },
  );
  return asDecorator('isFraction', rule);
}

export function IsWholeNumber(min: number, max: number): PropertyDecorator {
  const rule = new Rule({ type: 'integer', minimum: min, maximum: max }, (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? null
      : { says: `must be a whole number from ${min} to ${max}` },
  );
  return asDecorator('isWholeNumber', rule);
}

const MAX_CHUNK_SIZE = 100_000;

/** A whole number from 1, or -1. */
export function IsChunkSize(): PropertyDecorator {
  const schema = {
    oneOf: [
      { type: 'integer', minimum: 1, maximum: MAX_CHUNK_SIZE },
      { type: 'integer', enum: [-1] },
    ],
  };
  const rule = new Rule(schema, (value) =>
    Number.isInteger(value) && (value === -1 || ((value as number) >= 1 && (value as number) <= MAX_CHUNK_SIZE))
      ? null
      : { says: `must be a whole number from 1 to ${MAX_CHUNK_SIZE}, or -1` },
  );
  return asDecorator('isChunkSize', rule);
}

/** `page` and `limit` of lists: a whole number from 1, also as digits. */
export function IsOrdinal(): PropertyDecorator {
  const schema = {
    oneOf: [
      { type: 'integer', minimum: 1 },
      { type: 'string', pattern: '^[0-9]+$' },
    ],
  };
  const rule = new Rule(schema, (value) => {
    const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
    return Number.isSafeInteger(number) && (number as number) >= 1 ? null : { says: 'must be a whole number from 1' };
  });
  return asDecorator('isOrdinal', rule);
}
