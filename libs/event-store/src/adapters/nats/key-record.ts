/** A key as its record holds it: the sequences of its halves in the stream, or, of former versions, the key itself. */
export type KeyRecord = { readonly halves: readonly number[] } | { readonly secret: Uint8Array };

/** Kinds of records, in the first byte. Former versions read both as those of a blob: whole, or a list of its parts. */
const WHOLE = 0;
const IN_PARTS = 1;

/** @param length of the key in bytes */
export function encodeHalves(id: string, length: number, halves: readonly number[]): Uint8Array {
  const list = JSON.stringify({ upload: id, length, seqs: halves });
  return Buffer.concat([Uint8Array.of(IN_PARTS), Buffer.from(list)]);
}

/** @throws Error for a record of a newer version */
export function decodeKey(record: Uint8Array): KeyRecord {
  const body = record.subarray(1);
  switch (record[0]) {
    case WHOLE:
      return { secret: body };
    case IN_PARTS:
      return { halves: (JSON.parse(new TextDecoder().decode(body)) as { seqs: number[] }).seqs };
    default:
      throw new Error('The record of a stream key was written by a newer version');
  }
}
