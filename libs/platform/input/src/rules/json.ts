import { asDecorator, Rule } from '../rule.ts';

const MAX_BYTES = 16 * 1024;

/** Any JSON. @param maxBytes of it. Null: as long as the body may be. Default: 16 KiB */
export function IsAnyJson(maxBytes: number | null = MAX_BYTES): PropertyDecorator {
  const rule = new Rule({}, (value) =>
    maxBytes !== null && Buffer.byteLength(JSON.stringify(value)) > maxBytes
      ? { says: `must have at most ${maxBytes} bytes as JSON` }
      : null,
  );
  return asDecorator('isAnyJson', rule);
}
