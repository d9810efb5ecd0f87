import { asDecorator, Rule } from '../rule.ts';

const MAX_BYTES = 16 * 1024;

/** Any JSON of at most 16 KiB. */
export function IsAnyJson(): PropertyDecorator {
  const rule = new Rule({}, (value) =>
    Buffer.byteLength(JSON.stringify(value)) > MAX_BYTES
      ? { says: `must have at most ${MAX_BYTES} bytes as JSON` }
      : null,
  );
  return asDecorator('isAnyJson', rule);
}
