/** Cuts or joins bytes into parts of `size` bytes. The last part may be shorter; an empty blob is one empty part. */
export async function* partsOf(
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (Symbol.asyncIterator in bytes) {
    yield* joined(bytes, size);
    return;
  }
  for (let from = 0; from === 0 || from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function* joined(chunks: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  let part = new Uint8Array(size);
  let used = 0;
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      if (used === size) {
        yield part;
        part = new Uint8Array(size);
        used = 0;
      }
      const taken = chunk.subarray(from, from + size - used);
      part.set(taken, used);
      used += taken.length;
      from += taken.length;
    }
  }
  yield part.subarray(0, used);
}

/** The parts of a longer blob. */
export interface PartList {
  readonly upload: string;
  /** Of the blob. */
  readonly length: number;
  /** Sequences in the stream, in the order of the parts. */
  readonly seqs: readonly number[];
}

/** A record holds a short blob, or the list of the parts of a longer one. */
export type BlobContent = { readonly bytes: Uint8Array } | { readonly parts: PartList };

export type BlobRecord = BlobContent & {
  /** Sequence of the secret with which the bytes or the parts are sealed. */
  readonly secret: number;
};

/** Kinds of records, in the first byte. */
const WHOLE = 2;
const IN_PARTS = 3;
const SECRET_AT = 1;
const BODY_AT = 9;

/** By how much the record of a short blob is longer than its sealed bytes. */
export const RECORD_BYTES = BODY_AT;

export function encodeBlob(blob: BlobRecord): Uint8Array {
  const isWhole = 'bytes' in blob;
  const body = isWhole ? blob.bytes : new TextEncoder().encode(JSON.stringify(blob.parts));
  const record = Buffer.alloc(BODY_AT + body.length);
  record[0] = isWhole ? WHOLE : IN_PARTS;
  record.writeBigUInt64BE(BigInt(blob.secret), SECRET_AT);
  record.set(body, BODY_AT);
  return record;
}

/** @throws Error for a record of another version */
export function decodeBlob(record: Uint8Array): BlobRecord {
  const [kind] = record;
  if (kind !== WHOLE && kind !== IN_PARTS) throw new Error('A blob record was written by another version');
  const secret = Number(Buffer.from(record.subarray(SECRET_AT, BODY_AT)).readBigUInt64BE());
  const body = record.subarray(BODY_AT);
  if (kind === WHOLE) return { bytes: body, secret };
  return { parts: JSON.parse(new TextDecoder().decode(body)) as PartList, secret };
}
