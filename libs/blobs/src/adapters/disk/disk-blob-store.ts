import { access, type FileHandle, link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode, newId, translateFileError } from '#kernel';
import { checkKey, checkPrefix } from '../../keys.ts';
import { BlobInterruptedError, BlobStorageFullError, type BlobStore } from '../../port.ts';

/** No key can name it: no part of a key begins with a dot. */
const INCOMING = '.incoming';

const PIECE_BYTES = 64 * 1024;

/** Blobs as files: `<folder>/<organization>/<document>/<name>`. */
export class DiskBlobStore implements BlobStore {
  readonly #folder: string;

  /**
   * Once per process, before anything is written; further threads `attach`.
   * @param folder made if it is not there; used by one process at a time
   */
  static async open(folder: string): Promise<DiskBlobStore> {
    try {
      // Incomplete files of a process that ended.
      await rm(join(folder, INCOMING), { recursive: true, force: true });
      await mkdir(join(folder, INCOMING), { recursive: true });
    } catch (error) {
      throw translateFileError(error);
    }
    return new DiskBlobStore(folder);
  }

  /** For another thread of the process that has opened `folder`. Leaves incomplete files of the other threads. */
  static attach(folder: string): DiskBlobStore {
    return new DiskBlobStore(folder);
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ readonly length: number }> {
    return this.#write(key, bytes, async (path, incoming, length) => {
      await this.#moveTo(path, incoming, rename);
      return { length };
    });
  }

  putNew(key: string, bytes: Uint8Array): Promise<boolean> {
    return this.#write(key, bytes, async (path, incoming) => {
      try {
        // Unlike a rename, a link does not replace what is there.
        await this.#moveTo(path, incoming, link);
        return true;
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
        // The writer of the existing blob may not have synced the folder yet.
        await syncFolder(dirname(path));
        return false;
      } finally {
        await rm(incoming, { force: true });
      }
    });
  }

  async get(key: string): Promise<Uint8Array | null> {
    try {
      return await readFile(this.#pathOf(key));
    } catch (error) {
      if (isAbsent(error)) return null;
      throw translateFileError(error);
    }
  }

  async stream(key: string): Promise<AsyncIterable<Uint8Array> | null> {
    const path = await this.filePath(key);
    return path === null ? null : pieces(key, path);
  }

  async filePath(key: string): Promise<string | null> {
    const path = this.#pathOf(key);
    try {
      await access(path);
      return path;
    } catch (error) {
      if (isAbsent(error)) return null;
      throw translateFileError(error);
    }
  }

  async deletePrefix(prefix: string): Promise<void> {
    checkPrefix(prefix);
    const path = join(this.#folder, prefix);
    try {
      await rm(path, { recursive: true, force: true });
      await syncFolder(dirname(path));
    } catch (error) {
      if (!isAbsent(error)) throw translateFileError(error);
    }
  }

  async *listFolders(): AsyncIterable<string> {
    for (const organization of await foldersIn(this.#folder)) {
      for (const document of await foldersIn(join(this.#folder, organization))) yield `${organization}/${document}`;
    }
  }

  #pathOf(key: string): string {
    checkKey(key);
    return join(this.#folder, key);
  }

  async #write<T>(
    key: string,
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    finish: (path: string, incoming: string, length: number) => Promise<T>,
  ): Promise<T> {
    const path = this.#pathOf(key);
    const incoming = join(this.#folder, INCOMING, newId());
    try {
      return await finish(path, incoming, await writeSynced(incoming, bytes));
    } catch (error) {
      await rm(incoming, { force: true });
      const fault = translateFileError(error);
      throw hasCode(fault, 'no_space') ? new BlobStorageFullError(`No room for blob ${key}`, { cause: error }) : fault;
    }
  }

  async #moveTo(path: string, incoming: string, move: typeof rename): Promise<void> {
    const document = dirname(path);
    const organization = dirname(document);
    const made = await mkdir(document, { recursive: true });
    try {
      await move(incoming, path);
    } catch (error) {
      if (!isAbsent(error)) throw error;
      // A deletion has removed the folder since.
      await mkdir(document, { recursive: true });
      await move(incoming, path);
    }
    await syncFolder(document);
    if (made === undefined) return;
    await syncFolder(organization);
    await syncFolder(this.#folder);
  }
}

async function* pieces(key: string, path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path).catch((error) => {
    if (!isAbsent(error)) throw translateFileError(error);
    throw new BlobInterruptedError(`Blob ${key} was deleted before it was read`, { cause: error });
  });
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE_BYTES));
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
      if (bytesRead < PIECE_BYTES) return;
    }
  } catch (error) {
    throw translateFileError(error);
  } finally {
    await file.close();
  }
}

async function writeSynced(path: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<number> {
  const handle = await open(path, 'wx');
  try {
    const length = await write(handle, bytes);
    await handle.sync();
    return length;
  } finally {
    await handle.close();
  }
}

async function write(handle: FileHandle, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<number> {
  if (!(Symbol.asyncIterator in bytes)) {
    await handle.writeFile(bytes);
    return bytes.length;
  }
  let length = 0;
  for await (const chunk of bytes) {
    await handle.writeFile(chunk);
    length += chunk.length;
  }
  return length;
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Returns the names of the folders, or none if `path` does not exist. */
async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error) => {
    if (isAbsent(error)) return [];
    throw translateFileError(error);
  });
  return entries.filter((entry) => entry.isDirectory() && entry.name !== INCOMING).map((entry) => entry.name);
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';
const isAbsent = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
