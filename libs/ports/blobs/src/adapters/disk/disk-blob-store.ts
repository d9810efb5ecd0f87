import { existsSync } from 'node:fs';
import { access, mkdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  absentAsNull,
  type Clock,
  hasCode,
  isAbsent,
  newId,
  ResourceError,
  syncFolder,
  systemClock,
  translateFileError,
} from '#platform/kernel';
import { checkKey, checkPrefix } from '../../keys.ts';
import { BlobStorageFullError, type BlobStore } from '../../port.ts';
import { PutsInProgress, type RunningPut } from '../../puts-in-progress.ts';
import { type BlobFile, filesIn, foldersIn, linkSynced, pieces, removeOlder, writeSynced } from './files.ts';

/** Incomplete blobs, and folders that are being removed. Not a valid part of a key, because it begins with a dot. */
const INCOMING = '.incoming';
/** Folder of what was deleted while a backup copies the blobs. */
const HELD = '.held';
/** Attempts to move a blob into its folder. */
const MOVES = 5;
/** No put and no removal takes longer. Milliseconds. */
const INTERRUPTED_MS = 24 * 3_600_000;

/** Blobs as files: `<folder>/<organization>/<document>/<name>`. */
export class DiskBlobStore implements BlobStore {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #puts = new PutsInProgress();
  #holds = 0;

  /**
   * Opens the folder. Call it once per process before any write; further threads `attach`.
   * @param folder created if it does not exist; used by one process at a time
   */
  static async open(folder: string, clock: Clock = systemClock): Promise<DiskBlobStore> {
    try {
      // Incomplete files of a process that ended.
      await rm(join(folder, INCOMING), { recursive: true, force: true });
      await rm(join(folder, HELD), { recursive: true, force: true });
      await mkdir(join(folder, INCOMING), { recursive: true });
    } catch (error) {
      throw translateFileError(error);
    }
    return new DiskBlobStore(folder, clock);
  }

  /** For another thread of the process that has opened `folder`. Does not remove incomplete files. */
  static attach(folder: string): DiskBlobStore {
    return new DiskBlobStore(folder, systemClock);
  }

  private constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
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
    const put = this.#puts.begin(key);
    try {
      const length = await write(incoming);
      await this.#moveTo(path, incoming, put);
      return { length };
    } catch (error) {
      await rm(incoming, { force: true });
      if (!existsSync(this.#folder)) {
        throw new ResourceError('io_error', `The folder ${this.#folder} does not exist`, { cause: error });
      }
      const translated = translateFileError(error);
      if (!hasCode(translated, 'no_space')) throw translated;
      throw new BlobStorageFullError(`No space for blob ${key}`, { cause: error });
    } finally {
      put.end();
    }
  }

  async get(key: string): Promise<Uint8Array | null> {
    return readFile(this.#pathOf(key)).catch(absentAsNull);
  }

  async size(key: string): Promise<number | null> {
    const found = await stat(this.#pathOf(key)).catch(absentAsNull);
    return found === null ? null : found.size;
  }

  async stream(key: string, from = 0): Promise<AsyncIterable<Uint8Array> | null> {
    const path = await this.filePath(key);
    return path === null ? null : pieces(key, path, from);
  }

  async filePath(key: string): Promise<string | null> {
    const path = this.#pathOf(key);
    return access(path).then(() => path, absentAsNull);
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
    for await (const deletion of foldersIn(held)) yield* filesIn(join(held, deletion));
  }

  /** What a process that ended has left is removed by `open`. */
  removeInterrupted(signal: AbortSignal): Promise<void> {
    return removeOlder(join(this.#folder, INCOMING), this.#clock.now() - INTERRUPTED_MS, signal);
  }

  async *listFolders(): AsyncIterable<string> {
    for await (const organization of foldersIn(this.#folder)) {
      for await (const document of foldersIn(join(this.#folder, organization))) yield `${organization}/${document}`;
    }
  }

  async *listFoldersWith(name: string): AsyncIterable<string> {
    for await (const folder of this.listFolders()) {
      if ((await this.filePath(`${folder}/${name}`)) !== null) yield folder;
    }
  }

  #pathOf(key: string): string {
    checkKey(key);
    return join(this.#folder, key);
  }

  async #remove(path: string, name: string): Promise<void> {
    this.#puts.delete(name);
    try {
      // Most documents have no blob, and a sync costs milliseconds.
      await access(path);
      if (this.#holds > 0) await this.#moveAside(path, join(HELD, newId(), name));
      else await this.#removeFiles(path);
      await syncFolder(dirname(path));
    } catch (error) {
      if (!isAbsent(error)) throw translateFileError(error);
    }
  }

  /** Moves a folder away first: blobs may be put into it, so in place it might never be empty. */
  async #removeFiles(path: string): Promise<void> {
    const removed = join(INCOMING, newId());
    await this.#moveAside(path, removed);
    try {
      await rm(join(this.#folder, removed), { recursive: true, force: true });
    } catch (error) {
      // A repetition of the deletion finds it there.
      await rename(join(this.#folder, removed), path).catch(() => undefined);
      throw error;
    }
  }

  async #moveAside(path: string, to: string): Promise<void> {
    const aside = join(this.#folder, to);
    await mkdir(dirname(aside), { recursive: true });
    await rename(path, aside);
  }

  async #moveTo(path: string, incoming: string, put: RunningPut): Promise<void> {
    const document = dirname(path);
    const organization = dirname(document);
    let created: string | undefined;
    for (let attempt = 1, isMoved = false; !isMoved && !put.isDeleted; attempt += 1) {
      try {
        // Rejects, too, if a deletion moves away the folder that it has just made.
        created = await mkdir(document, { recursive: true });
        await rename(incoming, path);
        isMoved = true;
      } catch (error) {
        // A deletion may have removed the folder in the meantime.
        if (!isAbsent(error) || attempt === MOVES) throw error;
      }
    }
    if (put.isDeleted) return this.#undo(path, incoming);
    // A rename between two names of one file leaves both.
    await rm(incoming, { force: true });
    await syncFolder(document);
    if (created === undefined) return;
    await syncFolder(organization);
    await syncFolder(this.#folder);
  }

  /** Removes what a put has stored whose key was deleted before its end. */
  async #undo(path: string, incoming: string): Promise<void> {
    await rm(incoming, { force: true });
    await rm(path, { force: true });
    // Other blobs may have been put into the folder since.
    await rmdir(dirname(path)).catch(() => undefined);
    await syncFolder(dirname(dirname(path))).catch(() => undefined);
  }
}
