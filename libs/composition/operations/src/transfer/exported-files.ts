import { createHash } from 'node:crypto';
import { access, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, newId } from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';

/** The folder of files of an export, named by their SHA-256. Equal files are stored once. */
export class ExportedFiles {
  readonly #folder: string;
  readonly #blobs: BlobStore;
  #added: string[] = [];

  constructor(folder: string, blobs: BlobStore) {
    this.#folder = folder;
    this.#blobs = blobs;
  }

  /** Copies a blob. Durable when it resolves. @returns its SHA-256; null if it does not exist any longer */
  async add(key: string): Promise<string | null> {
    const incoming = join(this.#folder, newId());
    const sha256 = await this.#write(key, incoming).catch(async (error) => {
      await rm(incoming, { force: true });
      if (hasCode(error, 'blob_interrupted')) return null;
      throw error;
    });
    if (sha256 === null) return null;
    const path = join(this.#folder, sha256);
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (exists) await rm(incoming);
    else {
      await rename(incoming, path);
      this.#added.push(path);
    }
    return sha256;
  }

  /** The document whose files were added is written. */
  keep(): void {
    this.#added = [];
  }

  /** Removes what was added since the last document that is written. */
  async drop(): Promise<void> {
    for (const path of this.#added.splice(0)) await rm(path, { force: true });
  }

  async #write(key: string, path: string): Promise<string | null> {
    const pieces = await this.#blobs.stream(key);
    if (pieces === null) return null;
    const hash = createHash('sha256');
    const file = await open(path, 'wx', 0o600);
    try {
      for await (const piece of pieces) {
        hash.update(piece);
        await file.writeFile(piece);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    return hash.digest('hex');
  }
}
