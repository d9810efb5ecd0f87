import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Digest } from './backup-file.ts';

/** A transformation of the bytes of a file. */
export type Through = (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/**
 * Creates a file and syncs it to the disk.
 * @param through applied to what is written
 * @returns size and SHA-256 of the pieces as they came
 */
export async function writtenFile(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  through: Through = (same) => same,
): Promise<Digest> {
  const digest = new Digester();
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const piece of through(digest.of(pieces))) await file.writeFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
  return digest.result();
}

/** Size and SHA-256 of what passes through it. */
export class Digester {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  async *of(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.#hash.update(piece);
      this.#bytes += piece.length;
      yield piece;
    }
  }

  result(): Digest {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}
