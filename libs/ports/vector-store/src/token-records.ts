import type { QuantizedVector } from './port.ts';

/** What is stored of a unit's tokens: its own, or where those of the units are that it consists of. */
export type TokenRecord =
  | { readonly kind: 'rows'; readonly rows: Int8Array }
  | { readonly kind: 'parts'; readonly keys: readonly string[] };

const ROWS = 0;
const PARTS = 1;
const KEY_BYTES = 32;

/** Encodes one byte for the kind, then the rows, or the keys of 32 bytes each. */
export function encodeTokens(record: TokenRecord): QuantizedVector {
  const content =
    record.kind === 'rows'
      ? Buffer.from(record.rows.buffer, record.rows.byteOffset, record.rows.length)
      : Buffer.from(record.keys.join(''), 'hex');
  const bytes = new Uint8Array(1 + content.length);
  bytes[0] = record.kind === 'rows' ? ROWS : PARTS;
  bytes.set(content, 1);
  return bytes;
}

export function decodeTokens(bytes: QuantizedVector): TokenRecord {
  if (bytes[0] === ROWS)
    return { kind: 'rows', rows: new Int8Array(bytes.buffer, bytes.byteOffset + 1, bytes.length - 1) };
  const joined = Buffer.from(bytes.buffer, bytes.byteOffset + 1, bytes.length - 1).toString('hex');
  const digits = 2 * KEY_BYTES;
  const keys = Array.from({ length: joined.length / digits }, (_, i) => joined.slice(i * digits, (i + 1) * digits));
  return { kind: 'parts', keys };
}
