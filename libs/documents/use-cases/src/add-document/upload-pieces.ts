import { createReadStream } from 'node:fs';
import { translateFileError } from '#kernel';

/** Yields the bytes of a file that the edge has received. */
export async function* uploadPieces(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    throw translateFileError(error);
  }
}
