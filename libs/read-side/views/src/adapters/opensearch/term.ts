import { createHash } from 'node:crypto';
import type { Body } from './connection.ts';

/**
 * Hashes strings of callers to terms of one length: an index takes no term above 32,766 bytes and no lone surrogates.
 * 132 bits of SHA-256, so that two strings never share a term.
 */
export function termOf(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, TERM_LETTERS);
}

export const TERM_LETTERS = 22;

/** Returns a term that sorts as the number, behind a prefix: 16 hexadecimal digits of its bits, inverted if it is negative. */
export function orderedTerm(prefix: string, number: number): string {
  const view = new DataView(new ArrayBuffer(8));
  // -0 equals 0.
  view.setFloat64(0, number + 0);
  const bits = view.getBigUint64(0);
  const ordered = bits >> 63n === 0n ? bits | (1n << 63n) : ~bits & 0xffff_ffff_ffff_ffffn;
  return prefix + ordered.toString(16).padStart(16, '0');
}

/** Sorts behind every digit. */
export const LAST = '~';

export const anyOf = (queries: readonly Body[]): Body => ({ bool: { should: queries, minimum_should_match: 1 } });
export const none = (query: Body): Body => ({ bool: { must_not: [query] } });
