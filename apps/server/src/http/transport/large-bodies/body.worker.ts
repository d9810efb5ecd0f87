import { readFileSync } from 'node:fs';
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { Known, KnownFields } from '#platform/input';
import { translateFileError } from '#platform/kernel';
import { serve } from '#platform/thread-calls';
import type { Spelling } from '../../validation/spelling.ts';
import { type BodyRefusal, readJson } from './read-json.ts';
import { type Tokens, ValuePieces } from './tokens.ts';

/** Bytes, or the path of the file that holds them. */
export type BodySource = string | Uint8Array;

/** What is read of a body, and what its unknown keys are compared with. Null: with nothing. */
export interface ExpectedBody {
  readonly known: KnownFields;
  readonly spelling: Spelling | null;
}

export interface BodyPiece {
  readonly tokens: Tokens;
  readonly isLast: boolean;
}

/** The calls that the thread for large bodies answers. */
export interface BodyApi {
  /**
   * Parses a body, and returns the first piece of its known fields.
   * @param id of the caller's choice, for the other pieces
   * @throws ResourceError if the file cannot be read
   */
  open(id: number, source: BodySource, expected: ExpectedBody): BodyPiece | { readonly refusal: BodyRefusal };
  /** Returns the next piece. The last one ends the body. */
  next(id: number): BodyPiece;
}

const open = new Map<number, ValuePieces>();

function pieceOf(id: number, pieces: ValuePieces): BodyPiece {
  const tokens = pieces.next();
  if (pieces.isDone) open.delete(id);
  else open.set(id, pieces);
  return { tokens, isLast: pieces.isDone };
}

serve<BodyApi>(parentPort as MessagePort, {
  open(id, source, { known, spelling }) {
    const read = readJson(bytesOf(source), spelling);
    return read.refusal === null ? pieceOf(id, new ValuePieces(knownPart(read.value, known))) : read;
  },
  next: (id) => pieceOf(id, open.get(id) as ValuePieces),
});

function bytesOf(source: BodySource): Buffer {
  if (typeof source !== 'string') return Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  try {
    return readFileSync(source);
  } catch (error) {
    throw translateFileError(error);
  }
}

function knownPart(value: unknown, known: Known): unknown {
  if (known === 'text') return typeof value === 'string' && !/\S/.test(value) ? '' : value;
  if (known === true || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => knownPart(item, known));
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, part]) =>
      Object.hasOwn(fields, name) ? [[name, knownPart(fields[name], part)]] : [],
    ),
  );
}
