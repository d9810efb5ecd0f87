import { Inject, Injectable } from '@nestjs/common';
import type { BlobStore } from '#blobs';
import { blobFolder, documentStream } from '#documents';
import type { VectorCache } from '#vector-cache';
import { BLOB_STORE, VECTOR_CACHE } from '../ports.ts';

/** Removes what a deleted document had outside the log. May be repeated at any time. */
@Injectable()
export class Erasure {
  constructor(
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    @Inject(VECTOR_CACHE) private readonly vectors: VectorCache,
  ) {}

  async erase(organization: string, id: string): Promise<void> {
    await this.blobs.deletePrefix(blobFolder(organization, id));
    await this.vectors.release(documentStream(organization, id));
  }
}
