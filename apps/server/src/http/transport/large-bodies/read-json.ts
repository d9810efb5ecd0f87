import { isUtf8 } from 'node:buffer';
import { type JsonSize, jsonSize } from '#platform/kernel';
import { type Misspelling, misspellingIn, type Spelling } from '../../validation/spelling.ts';

/** Why bytes are not taken as a body. */
export type BodyRefusal = 'not_utf8' | 'not_json' | NonNullable<JsonSize['exceeds']> | Misspelling;

export type ReadBody = { readonly refusal: BodyRefusal } | { readonly refusal: null; readonly value: unknown };

const BYTE_ORDER_MARK = 0xfeff;

/**
 * Parses JSON that is measured already.
 * @param spelling what unknown keys of the body are compared with. Null: with nothing.
 */
export function parseJson(bytes: Buffer, spelling: Spelling | null): ReadBody {
  if (!isUtf8(bytes)) return { refusal: 'not_utf8' };
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
  } catch {
    return { refusal: 'not_json' };
  }
  const misspelling = spelling === null ? null : misspellingIn(value, spelling);
  return misspelling === null ? { refusal: null, value } : { refusal: misspelling };
}

/** Reads JSON within the limits of depth and number of values. */
export function readJson(bytes: Buffer, spelling: Spelling | null): ReadBody {
  const { exceeds } = jsonSize(bytes);
  return exceeds === null ? parseJson(bytes, spelling) : { refusal: exceeds };
}
