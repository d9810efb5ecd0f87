/** A part of a stream, of the wanted length but for the last one. */
interface Piece {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

/**
 * Cuts a stream into pieces of one length; the last one is shorter, and empty only if the stream is.
 * @param first length of the first piece, if it is another one
 */
export async function* pieces(
  stream: AsyncIterable<Uint8Array>,
  length: number,
  first: number = length,
): AsyncGenerator<Piece> {
  let parts: Uint8Array[] = [];
  let waiting = 0;
  let wanted = first;
  for await (const part of stream) {
    parts.push(part);
    waiting += part.length;
    // What may be the last piece waits for the next bytes.
    if (waiting <= wanted) continue;
    let rest = Buffer.concat(parts, waiting);
    while (rest.length > wanted) {
      yield { bytes: rest.subarray(0, wanted), isLast: false };
      rest = rest.subarray(wanted);
      wanted = length;
    }
    parts = [rest];
    waiting = rest.length;
  }
  yield { bytes: Buffer.concat(parts, waiting), isLast: true };
}
