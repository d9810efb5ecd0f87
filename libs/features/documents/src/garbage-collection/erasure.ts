import { systemScope } from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';
import type { VectorStore } from '#ports/vector-store';
import { KeptReadings } from '../reading/kept-readings.ts';
import type { DocumentRepository } from '../repository.ts';
import { blobFolder, documentStream, formerVectorsOf } from '../streams.ts';

/** Waits for all, so that an error of one store leaves nothing in the others. @throws the first error */
export async function allOf(removals: readonly Promise<void>[]): Promise<void> {
  for (const removal of await Promise.allSettled(removals)) if (removal.status === 'rejected') throw removal.reason;
}

/** Removes what a deleted document, or a replaced file, had outside the log. May be repeated at any time. */
export class Erasure {
  readonly #blobs: BlobStore;
  readonly #vectors: VectorStore;

  constructor(blobs: BlobStore, vectors: VectorStore) {
    this.#blobs = blobs;
    this.#vectors = vectors;
  }

  async erase(organization: string, id: string): Promise<void> {
    const stream = documentStream(organization, id);
    await allOf([
      this.#blobs.deletePrefix(blobFolder(organization, id)),
      this.#vectors.release(stream),
      this.#vectors.release(formerVectorsOf(stream)),
    ]);
  }

  /**
   * Removes what was stored for a document that has been deleted in the meantime. Call it after the last write for a
   * document whose append was refused or did not happen.
   * @returns whether the document is deleted
   */
  async eraseIfDeleted(
    documents: Pick<DocumentRepository, 'load'>,
    organization: string,
    id: string,
  ): Promise<boolean> {
    const { status } = await documents.load(systemScope(organization), id);
    if (status === 'deleted') await this.erase(organization, id);
    return status === 'deleted';
  }

  /** @param blob of a file that its document has no more */
  async eraseFile(blob: string): Promise<void> {
    await this.#blobs.delete(blob);
    await new KeptReadings(this.#blobs).removeOf(blob);
  }
}
