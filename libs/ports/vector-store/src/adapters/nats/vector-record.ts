import type { QuantizedVector } from '../../port.ts';

/** The record of a key. */
export interface VectorRecord {
  /** Hashes of the listed owners. */
  readonly owners: readonly string[];
  /** Further owners may have records of their own. */
  readonly hasMore: boolean;
  /** Sequences of the older records of this subject that may still exist. */
  readonly older: readonly number[];
  /** Null: the key has no owner. */
  readonly vector: QuantizedVector | null;
}

/** Hashes are base64url in subjects and bytes in records. */
const HASH_BYTES = 16;
const SEQUENCE_BYTES = 8;
const HEAD_BYTES = 5;
const HAS_MORE = 1;
const HAS_VECTOR = 2;

/** Encodes one byte of flags, the numbers of owners and sequences (16 bits each), the owners, the sequences, the vector. */
export function encodeRecord({ owners, hasMore, older, vector }: VectorRecord): Uint8Array {
  const listed = HEAD_BYTES + owners.length * HASH_BYTES + older.length * SEQUENCE_BYTES;
  const record = Buffer.alloc(listed + (vector?.length ?? 0));
  record[0] = (hasMore ? HAS_MORE : 0) | (vector === null ? 0 : HAS_VECTOR);
  record.writeUInt16LE(owners.length, 1);
  record.writeUInt16LE(older.length, 3);
  let at = HEAD_BYTES;
  for (const owner of owners) at += record.write(owner, at, 'base64url');
  for (const seq of older) at = record.writeBigUInt64LE(BigInt(seq), at);
  if (vector !== null) record.set(vector, at);
  return record;
}

export function decodeRecord(bytes: Uint8Array): VectorRecord {
  const record = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const flags = record[0] ?? 0;
  const owners = hashesIn(record.subarray(HEAD_BYTES, HEAD_BYTES + record.readUInt16LE(1) * HASH_BYTES));
  let at = HEAD_BYTES + owners.length * HASH_BYTES;
  const older = Array.from({ length: record.readUInt16LE(3) }, (_, i) =>
    Number(record.readBigUInt64LE(at + i * SEQUENCE_BYTES)),
  );
  at += older.length * SEQUENCE_BYTES;
  return {
    owners,
    hasMore: (flags & HAS_MORE) !== 0,
    older,
    vector: (flags & HAS_VECTOR) === 0 ? null : bytes.subarray(at),
  };
}

export const encodeHashes = (hashes: readonly string[]): Uint8Array =>
  Buffer.concat(hashes.map((hash) => Buffer.from(hash, 'base64url')));

export function hashesIn(bytes: Uint8Array): string[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: all.length / HASH_BYTES }, (_, i) =>
    all.toString('base64url', i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
}
