/** @param halves sequences of the halves of a key in the stream */
export const encodeHalves = (halves: readonly number[]): Uint8Array => new TextEncoder().encode(JSON.stringify(halves));

export const decodeHalves = (record: Uint8Array): readonly number[] =>
  JSON.parse(new TextDecoder().decode(record)) as number[];
