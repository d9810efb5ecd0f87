import { createReadStream } from 'node:fs';
import { access, type FileHandle, link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode, newId, syncFolder, translateFileError } from '#kernel';
import { checkKey, checkPrefix } from '../../keys.ts';
import { BlobInterruptedError, BlobStorageFullError, type BlobStore } from '../../port.ts';

/** Not a valid part of a key, because it begins with a dot. */
const INCOMING = '.incoming';
/** Folder of what was deleted while a backup copies the blobs. */
const HELD = '.held';

const PIECE_BYTES = 64 * 1024;

/** A stage may write a blob into a folder that is being removed, which then does not become empty. */
const UNTIL_EMPTY = { maxRetries: 5, retryDelay: 10 };

/** Errors of `link` on another file system, on one without hard links, and for a file with too many names. */
const NOT_LINKED = ['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** A blob as a file. It may be deleted before it is read. */
export interface BlobFile {
  readonly key: string;
  readonly path: string;
}

/** Blobs as files: `<folder>/<organization>/<document>/<name>`. */
export class DiskBlobStore implements BlobStore {
  readonly #folder: string;
  #holds = 0;

  /**
   * Opens the folder. Call it once per process before any write; further threads `attach`.
   * @param folder created if it does not exist; used by one process at a time
   */
  static async open(folder: string): Promise<DiskBlobStore> {
    try {
      // Incomplete files of a process that ended.
      await rm(join(folder, INCOMING), { recursive: true, force: true });
      await rm(join(folder, HELD), { recursive: true, force: true });
      await mkdir(join(folder, INCOMING), { recursive: true });
    } catch (error) {
      throw translateFileError(error);
    }
    return new DiskBlobStore(folder);
  }

  /** For another thread of the process that has opened `folder`. Does not remove incomplete files. */
  static attach(folder: string): DiskBlobStore {
    return new DiskBlobStore(folder);
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ readonly length: number }> {
    return this.#put(key, (incoming) => writeSynced(incoming, bytes));
  }

  putFile(key: string, path: string): Promise<{ readonly length: number }> {
    return this.#put(key, (incoming) => linkSynced(incoming, path));
  }

  /** @param write writes the file durably and returns its length */
  async #put(key: string, write: (incoming: string) => Promise<number>): Promise<{ readonly length: number }> {
    const path = this.#pathOf(key);
    const incoming = join(this.#folder, INCOMING, newId());
    try {
      const length = await write(incoming);
      await this.#moveTo(path, incoming);
      return { length };
    } catch (error) {
      await rm(incoming, { force: true });
      const translated = translateFileError(error);
      if (!hasCode(translated, 'no_space')) throw translated;
      throw new BlobStorageFullError(`No space for blob ${key}`, { cause: error });
    }
  }

  async get(key: string): Promise<Uint8Array | null> {
    try {
      return await readFile(this.#pathOf(key));
    } catch (error) {
      if (isAbsent(error)) return null;
      throw translateFileError(error);
    }
  }

  async stream(key: string, from = 0): Promise<AsyncIterable<Uint8Array> | null> {
    const path = await this.filePath(key);
    return path === null ? null : pieces(key, path, from);
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

  async delete(key: string): Promise<void> {
    await this.#remove(this.#pathOf(key), key);
  }

  async deletePrefix(prefix: string): Promise<void> {
    checkPrefix(prefix);
    await this.#remove(join(this.#folder, prefix), prefix);
  }

  /**
   * Keeps the files of blobs that are deleted from now on, for `files`; all other calls find them deleted. The files are
   * removed by `release`, or when the folder is opened again.
   */
  hold(): { release(): Promise<void> } {
    this.#holds += 1;
    let isHeld = true;
    return {
      release: async () => {
        if (isHeld) this.#holds -= 1;
        isHeld = false;
        if (this.#holds === 0) await rm(join(this.#folder, HELD), { recursive: true, force: true });
      },
    };
  }

  /** Yields the blobs, and behind them those that were deleted during a hold. */
  async *files(): AsyncGenerator<BlobFile> {
    yield* filesIn(this.#folder);
    const held = join(this.#folder, HELD);
    for (const deletion of await foldersIn(held)) yield* filesIn(join(held, deletion));
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

  async #remove(path: string, name: string): Promise<void> {
    try {
      // Most documents have no blob, and a sync costs milliseconds.
      await access(path);
      if (this.#holds > 0) await this.#moveAside(path, name);
      else await rm(path, { recursive: true, force: true, ...UNTIL_EMPTY });
      await syncFolder(dirname(path));
    } catch (error) {
      if (!isAbsent(error)) throw translateFileError(error);
    }
  }

  async #moveAside(path: string, name: string): Promise<void> {
    const aside = join(this.#folder, HELD, newId(), name);
    await mkdir(dirname(aside), { recursive: true });
    await rename(path, aside);
  }

  async #moveTo(path: string, incoming: string): Promise<void> {
    const document = dirname(path);
    const organization = dirname(document);
    const created = await mkdir(document, { recursive: true });
    try {
      await rename(incoming, path);
    } catch (error) {
      if (!isAbsent(error)) throw error;
      // A deletion has removed the folder in the meantime.
      await mkdir(document, { recursive: true });
      await rename(incoming, path);
    }
    // A rename between two names of one file leaves both.
    await rm(incoming, { force: true });
    await syncFolder(document);
    if (created === undefined) return;
    await syncFolder(organization);
    await syncFolder(this.#folder);
  }
}

async function* pieces(key: string, path: string, from: number): AsyncGenerator<Uint8Array> {
  const file = await open(path).catch((error) => {
    if (!isAbsent(error)) throw translateFileError(error);
    throw new BlobInterruptedError(`Blob ${key} was deleted before it was read`, { cause: error });
  });
  try {
    for (let position = from; ; position += PIECE_BYTES) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, position);
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

/** Gives a file a second name, or copies it where that is not possible. */
async function linkSynced(path: string, file: string): Promise<number> {
  try {
    await link(file, path);
  } catch (error) {
    if (!NOT_LINKED.includes(codeOf(error))) throw error;
    return writeSynced(path, createReadStream(file));
  }
  // Some systems sync only what is open for writing.
  await using handle = await open(path, 'r+');
  await handle.sync();
  return (await handle.stat()).size;
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

async function* filesIn(folder: string): AsyncGenerator<BlobFile> {
  for (const organization of await foldersIn(folder)) {
    for (const document of await foldersIn(join(folder, organization))) {
      const path = join(folder, organization, document);
      const names = await readdir(path).catch((error) => {
        if (isAbsent(error)) return [];
        throw translateFileError(error);
      });
      for (const name of names) yield { key: `${organization}/${document}/${name}`, path: join(path, name) };
    }
  }
}

/** Returns the names of the folders, or none if `path` does not exist. */
async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error) => {
    if (isAbsent(error)) return [];
    throw translateFileError(error);
  });
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map((entry) => entry.name);
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';
const isAbsent = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
