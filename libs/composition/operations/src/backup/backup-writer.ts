import { mkdir, readdir, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DataFiles, EmbeddedStorage } from '#composition/runtime';
import { blobsNamed, documentOfVectors, documentStream, parseDocumentStream } from '#features/documents';
import { readVersion } from '#platform/config';
import { type Clock, isoTime, syncFolder } from '#platform/kernel';
import { copySqliteAnalytics } from '#ports/analytics';
import { cursorOf } from '#ports/event-feed';
import { LogCopy } from '#ports/event-store';
import { SqliteVectorStore } from '#ports/vector-store';
import { OperatorError } from '../operation.ts';
import { copyFile, forEach } from './copy-file.ts';
import { FileList } from './file-list.ts';
import { BACKUP_FORMAT, type BackupManifest, digestOf, FILE_LIST, writeManifest } from './manifest.ts';

/** Documents or owners of vectors that are looked up in the copied log at a time. */
const PAGE = 200;

/** Missing blobs that are named; all are counted. */
const NAMED_BLOBS = 20;

/** Receives bytes copied, and the bytes to copy as far as they are known. */
export type OnBytes = (bytes: number, of: number) => void;

export interface BackupOptions {
  readonly folder: string;
  readonly files: DataFiles;
  readonly storage: EmbeddedStorage;
  readonly clock: Clock;
  readonly onBytes: OnBytes;
  readonly signal: AbortSignal;
}

/**
 * Copies the log, the blobs, the vectors and the figures of requests while they are in use, consistent to one position of the log:
 *
 * 1. All blobs that exist are copied, which takes longest.
 * 2. From here on deleted blobs are kept aside. The log is copied; its last event is the position of the backup.
 * 3. Blobs that were added meanwhile are copied. Now every blob that the copied log names is in the backup, and deleted
 *    blobs need not be kept any longer.
 * 4. Blobs that the copied log does not name, and vectors of documents that it does not have, are removed from the backup.
 * 5. Blobs that the copied log names and the backup does not have are those that the installation has lost.
 *
 * Figures of requests follow from no event, so they are copied as they are at their time.
 */
export class BackupWriter {
  readonly #options: BackupOptions;
  readonly #list: FileList;
  readonly missing: { count: number; readonly blobs: string[] } = { count: 0, blobs: [] };
  #copied = 0;
  #expected = 0;

  constructor(options: BackupOptions) {
    this.#options = options;
    this.#list = new FileList(join(options.folder, FILE_LIST));
  }

  /** The folder exists and is empty. An error or an abort leaves it without a manifest. */
  async write(): Promise<BackupManifest> {
    const { folder, files, storage, clock, signal } = this.#options;
    await this.#assertSpace();
    await this.#list.open();
    await this.#copyBlobs();
    const hold = storage.blobs.hold();
    try {
      await storage.log.copyTo(join(folder, 'events.db'), this.#progress());
      await this.#copyBlobs();
    } finally {
      await hold.release();
    }
    const log = await LogCopy.open(join(folder, 'events.db'));
    try {
      await this.#removeUnnamedBlobs(log);
      await this.#findMissingBlobs(log);
      await this.#copyVectors(log);
    } finally {
      await log.close();
    }
    await copySqliteAnalytics(files.analytics, join(folder, 'analytics.db'), signal);
    for (const database of ['events.db', 'vectors.db', 'analytics.db']) await this.#listDatabase(database);
    await this.#copy(files.ownerKey, 'owner.key');
    signal.throwIfAborted();
    await syncTree(folder);
    const { files: count, bytes, list } = await this.#list.finish(folder);
    const position = log.position === null ? null : cursorOf(log.storeId, log.position);
    const manifest = {
      ...{
        format: BACKUP_FORMAT,
        missing: this.missing.count,
        version: readVersion(),
        createdAt: isoTime(clock.now()),
      },
      ...{ storeId: log.storeId, position, files: count, bytes, list },
    };
    await writeManifest(folder, manifest);
    await syncFolder(folder);
    return manifest;
  }

  /** Closes what an aborted backup has open. */
  async close(): Promise<void> {
    await this.#list.close();
  }

  /** @throws OperatorError */
  async #assertSpace(): Promise<void> {
    const { folder, files, storage } = this.#options;
    for (const file of [files.events, `${files.events}-wal`, files.vectors, files.analytics])
      this.#expected += await bytesOf(file);
    for await (const { path } of storage.blobs.files()) this.#expected += await bytesOf(path);
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize > this.#expected) return;
    const megabytes = (bytes: number) => Math.ceil(bytes / 1_000_000);
    throw new OperatorError(
      `The backup needs ${megabytes(this.#expected)} MB, but the disk of ${folder} has ${megabytes(bavail * bsize)} MB.`,
    );
  }

  async #copyBlobs(): Promise<void> {
    const { storage, signal } = this.#options;
    await forEach(storage.blobs.files(), async ({ key, path }) => {
      signal.throwIfAborted();
      await this.#copy(path, `blobs/${key}`);
    });
  }

  /** Copies a file, unless it has been copied or does not exist. */
  async #copy(from: string, path: string): Promise<void> {
    const to = join(this.#options.folder, path);
    if ((await stat(to).catch(() => null)) !== null) return;
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    const copied = await copyFile(from, to);
    if (copied === null) return;
    await this.#list.add({ path, ...copied });
    this.#copied += copied.bytes;
    this.#options.onBytes(this.#copied, Math.max(this.#copied, this.#expected));
  }

  async #removeUnnamedBlobs(log: LogCopy): Promise<void> {
    const blobs = join(this.#options.folder, 'blobs');
    for (const organization of await namesIn(blobs)) {
      const ids = await namesIn(join(blobs, organization));
      for (let i = 0; i < ids.length; i += PAGE) {
        const page = ids.slice(i, i + PAGE);
        const streams = page.map((id) => documentStream(organization, id));
        for (const [n, named] of (await log.fieldsOf(streams, 'blob')).entries()) {
          const id = page[n] as string;
          const keys = new Set(named);
          for (const name of await namesIn(join(blobs, organization, id))) {
            if (!keys.has(`${organization}/${id}/${name}`)) await rm(join(blobs, organization, id, name));
          }
          if (keys.size === 0) await rm(join(blobs, organization, id), { recursive: true });
        }
      }
    }
  }

  /** Whatever the copied log names and the backup does not have was lost before. */
  async #findMissingBlobs(log: LogCopy): Promise<void> {
    for await (const streams of log.liveStreams(PAGE)) {
      this.#options.signal.throwIfAborted();
      for (const [i, named] of (await log.fieldsOf(streams, 'blob')).entries()) {
        const stream = streams[i] as string;
        const document = parseDocumentStream(stream);
        // Most documents name no blob, and of most others all are there.
        if (document === null || !(await this.#lacks(named ?? []))) continue;
        const { organization, id } = document;
        for (const blob of blobsNamed(organization, id, await log.payloadsOf(stream))) {
          if (!(await this.#lacks([blob]))) continue;
          this.missing.count += 1;
          if (this.missing.count <= NAMED_BLOBS) this.missing.blobs.push(blob);
        }
      }
    }
  }

  async #lacks(blobs: readonly string[]): Promise<boolean> {
    for (const blob of blobs) {
      if ((await stat(join(this.#options.folder, 'blobs', blob)).catch(() => null)) === null) return true;
    }
    return false;
  }

  async #copyVectors(log: LogCopy): Promise<void> {
    const path = join(this.#options.folder, 'vectors.db');
    if (!(await this.#options.storage.vectors.copyTo(path, this.#progress()))) return;
    const vectors = await SqliteVectorStore.open(path);
    try {
      for await (const owners of vectors.owners(PAGE)) {
        const streams = owners.map((owner) => documentOfVectors(owner) ?? owner);
        const live = await log.areLive(streams);
        for (const [i, owner] of owners.entries()) {
          if (documentOfVectors(owner) !== null && !live[i]) await vectors.release(owner);
        }
      }
    } finally {
      await vectors.close();
    }
  }

  async #listDatabase(path: string): Promise<void> {
    const digest = await digestOf(join(this.#options.folder, path));
    if (digest !== null) await this.#list.add({ path, ...digest });
  }

  #progress() {
    const before = this.#copied;
    const onCopied = (bytes: number) => {
      this.#copied = before + bytes;
      this.#options.onBytes(this.#copied, Math.max(this.#copied, this.#expected));
    };
    return { onCopied, signal: this.#options.signal };
  }
}

const bytesOf = async (path: string): Promise<number> => (await stat(path).catch(() => null))?.size ?? 0;

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });

/** Makes the entries of a folder and of all folders in it durable. */
async function syncTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncTree(join(folder, entry.name));
  }
  await syncFolder(folder);
}
