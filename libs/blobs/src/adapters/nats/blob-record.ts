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
  readonly length: number;
  /** Sequences in the stream, in the order of the parts. */
  readonly seqs: readonly number[];
}

/** A record holds a short blob, or the list of the parts of a longer one. */
export type BlobRecord = { readonly bytes: Uint8Array } | { readonly parts: PartList };

const WHOLE = 0;
const IN_PARTS = 1;

export function encodeBlob(blob: BlobRecord): Uint8Array {
  const isWhole = 'bytes' in blob;
  const body = isWhole ? blob.bytes : new TextEncoder().encode(JSON.stringify(blob.parts));
  const record = new Uint8Array(1 + body.length);
  record[0] = isWhole ? WHOLE : IN_PARTS;
  record.set(body, 1);
  return record;
}

/** @throws Error for a record of a newer version */
export function decodeBlob(record: Uint8Array): BlobRecord {
  const body = record.subarray(1);
  if (record[0] === WHOLE) return { bytes: body };
  if (record[0] === IN_PARTS) return { parts: JSON.parse(new TextDecoder().decode(body)) as PartList };
  throw new Error('A blob record was written by a newer version');
}
