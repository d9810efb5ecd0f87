import { isUtf8 } from 'node:buffer';
import { type JsonSize, jsonSize } from '#kernel';

/** Why bytes are not taken as a body. */
export type BodyRefusal = 'not_utf8' | 'not_json' | NonNullable<JsonSize['exceeds']>;

export type ReadBody = { readonly refusal: BodyRefusal } | { readonly refusal: null; readonly value: unknown };

const BYTE_ORDER_MARK = 0xfeff;

/** Parses JSON that is measured already. */
export function parseJson(bytes: Buffer): ReadBody {
  if (!isUtf8(bytes)) return { refusal: 'not_utf8' };
  const text = bytes.toString('utf8');
  try {
    return { refusal: null, value: JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text) };
  } catch {
    return { refusal: 'not_json' };
  }
}

/** Reads JSON within the limits of depth and number of values. */
export function readJson(bytes: Buffer): ReadBody {
  const { exceeds } = jsonSize(bytes);
  return exceeds === null ? parseJson(bytes) : { refusal: exceeds };
}
