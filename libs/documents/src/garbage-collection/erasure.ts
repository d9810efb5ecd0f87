import type { BlobStore } from '#blobs';
import type { VectorCache } from '#vector-cache';
import { blobFolder, documentStream } from '../streams.ts';

/** Removes what a deleted document, or a replaced file, had outside the log. May be repeated at any time. */
export class Erasure {
  readonly #blobs: BlobStore;
  readonly #vectors: VectorCache;

  constructor(blobs: BlobStore, vectors: VectorCache) {
    this.#blobs = blobs;
    this.#vectors = vectors;
  }

  async erase(organization: string, id: string): Promise<void> {
    await this.#blobs.deletePrefix(blobFolder(organization, id));
    await this.#vectors.release(documentStream(organization, id));
  }

  /** @param blob of a file that its document has no more */
  async eraseFile(blob: string): Promise<void> {
    await this.#blobs.delete(blob);
  }
}
