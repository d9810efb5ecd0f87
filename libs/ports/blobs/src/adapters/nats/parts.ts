import type { RecordStream } from '#platform/nats';
import type { PartList } from './blob-record.ts';
import { MAX_REQUESTS } from './erase.ts';
import { unseal } from './sealing.ts';

/**
 * Reads a blob that is in parts.
 * @returns null if a part is missing
 */
export async function joinParts(
  records: RecordStream,
  { length, seqs }: PartList,
  secret: Uint8Array,
): Promise<Uint8Array | null> {
  const bytes = new Uint8Array(length);
  let used = 0;
  for await (const part of partsAt(records, seqs, secret, 0)) {
    if (part === null) return null;
    bytes.set(part, used);
    used += part.length;
  }
  return bytes;
}

/**
 * Yields the bytes of a blob that is in parts, without the first `from`.
 * @param errorFor returns the error for a part that is missing
 */
export async function* piecesOf(
  records: RecordStream,
  { seqs }: PartList,
  secret: Uint8Array,
  { from, errorFor }: { readonly from: number; readonly errorFor: () => Promise<Error> },
): AsyncGenerator<Uint8Array> {
  let skipped = from;
  let first = 0;
  if (from > 0) {
    // All parts but the last one are of the same size.
    const { value: part } = await partsAt(records, seqs.slice(0, 1), secret, 0).next();
    const size = part?.length ?? 1;
    first = Math.floor(from / size);
    skipped = from % size;
  }
  for await (const part of partsAt(records, seqs.slice(first), secret, first)) {
    if (part === null) throw await errorFor();
    yield part.subarray(skipped);
    skipped = 0;
  }
}

/** @param first number of the first of these parts */
async function* partsAt(
  records: RecordStream,
  seqs: readonly number[],
  secret: Uint8Array,
  first: number,
): AsyncGenerator<Uint8Array | null> {
  for (let i = 0; i < seqs.length; i += MAX_REQUESTS) {
    const some = await Promise.all(seqs.slice(i, i + MAX_REQUESTS).map((seq) => records.at(seq)));
    yield* some.map((part, place) => part && unseal(part, secret, first + i + place));
  }
}
