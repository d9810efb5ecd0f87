import { readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataFiles, EmbeddedStorage } from '#composition/runtime';
import { blobsNamed, documentOfVectors, documentStream, parseDocumentStream } from '#features/documents';
import { readVersion } from '#platform/config';
import { type Clock, isoTime, syncFolder } from '#platform/kernel';
import { copyDatabaseFile } from '#platform/sqlite';
import { cursorOf } from '#ports/event-feed';
import { LogCopy } from '#ports/event-store';
import { SqliteVectorStore } from '#ports/vector-store';
import { OperatorError } from '../operation.ts';
import { forEach } from './at-once.ts';
import type { BackupFile } from './backup-file.ts';
import type { BackupFolder } from './backup-folder.ts';
import { FileList } from './file-list.ts';
import { BACKUP_FORMAT, type BackupManifest, writeManifest } from './manifest.ts';

/** Documents or owners of vectors that are looked up in the copied log at a time. */
const PAGE = 200;

/** What is copied as databases. */
const DATABASES = ['events.db', 'vectors.db', 'analytics.db', 'secrets.db'];

/** Missing blobs that are named; all are counted. */
const NAMED_BLOBS = 20;

/** Receives bytes copied, and the bytes to copy as far as they are known. */
export type OnBytes = (bytes: number, of: number) => void;

export interface BackupOptions {
  readonly folder: BackupFolder;
  /** An existing folder in which databases are made before they are in the backup: its own, or a private one if it is sealed. */
  readonly work: string;
  readonly files: DataFiles;
  readonly storage: EmbeddedStorage;
  readonly clock: Clock;
  readonly onBytes: OnBytes;
  readonly signal: AbortSignal;
}

/**
 * Copies the log, the blobs, the vectors, the figures of requests and the secrets while they are in use, consistent to one
 * position of the log:
 *
 * 1. All blobs that exist are copied, which takes longest.
 * 2. From here on deleted blobs are kept aside. The log is copied; its last event is the position of the backup.
 * 3. Blobs that were added meanwhile are copied. Now every blob that the copied log names is in the backup, and deleted
 *    blobs need not be kept any longer.
 * 4. Blobs that the copied log does not name, and vectors of documents that it does not have, are removed from the backup.
 * 5. Blobs that the copied log names and the backup does not have are those that the installation has lost.
 *
 * Figures of requests and secrets follow from no event, so they are copied as they are at their time.
 */
export class BackupWriter {
  readonly #options: BackupOptions;
  readonly #list: FileList;
  readonly missing: { count: number; readonly blobs: string[] } = { count: 0, blobs: [] };
  #copied = 0;
  #expected = 0;

  constructor(options: BackupOptions) {
    this.#options = options;
    this.#list = new FileList(options.folder, join(options.work, 'files.draft'));
  }

  /** The folder exists and is empty. An error or an abort leaves it without a manifest. */
  async write(): Promise<BackupManifest> {
    const { folder, work, files, storage, clock, signal } = this.#options;
    await this.#assertSpace();
    await this.#list.open();
    await this.#copyBlobs();
    const hold = storage.blobs.hold();
    try {
      await storage.log.copyTo(join(work, 'events.db'), this.#progress());
      await this.#copyBlobs();
    } finally {
      await hold.release();
    }
    const log = await LogCopy.open(join(work, 'events.db'));
    try {
      await this.#removeUnnamedBlobs(log);
      await this.#findMissingBlobs(log);
      await this.#copyVectors(log);
    } finally {
      await log.close();
    }
    await copyDatabaseFile(files.analytics, join(work, 'analytics.db'), signal);
    await copyDatabaseFile(files.secrets, join(work, 'secrets.db'), signal);
    for (const database of DATABASES) await this.#addDatabase(database);
    await this.#copy(files.ownerKey, 'owner.key');
    signal.throwIfAborted();
    const { files: count, bytes, list } = await this.#list.finish();
    await syncTree(folder.path);
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
    await syncFolder(folder.path);
    return manifest;
  }

  /** Closes what an aborted backup has open. */
  async close(): Promise<void> {
    await this.#list.close();
  }

  /** @throws OperatorError */
  async #assertSpace(): Promise<void> {
    const { folder, work, files, storage } = this.#options;
    for (const file of [files.events, `${files.events}-wal`, files.vectors, files.analytics, files.secrets])
      this.#expected += await bytesOf(file);
    const databases = this.#expected;
    for await (const { path } of storage.blobs.files()) this.#expected += await bytesOf(path);
    await assertFree(folder.path, this.#expected);
    if (work !== folder.path) await assertFree(work, databases);
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
    const { folder } = this.#options;
    if (await folder.has(path)) return;
    const copied = await folder.copy(from, path);
    if (copied === null) return;
    await this.#list.add({ path, ...copied });
    this.#copied += copied.bytes;
    this.#options.onBytes(this.#copied, Math.max(this.#copied, this.#expected));
  }

  async #removeUnnamedBlobs(log: LogCopy): Promise<void> {
    let page: BackupFile[] = [];
    for await (const file of this.#list.files()) {
      if (page.push(file) < PAGE) continue;
      await this.#removeUnnamed(log, page);
      page = [];
    }
    await this.#removeUnnamed(log, page);
  }

  async #removeUnnamed(log: LogCopy, blobs: readonly BackupFile[]): Promise<void> {
    const keys = blobs.map(({ path }) => path.slice('blobs/'.length));
    const streams = keys.map((key) => documentStream(...(key.split('/') as [string, string])));
    const unique = [...new Set(streams)];
    const named = new Set((await log.fieldsOf(unique, 'blob')).flatMap((one) => one ?? []));
    for (const key of keys) if (!named.has(key)) await this.#options.folder.remove(`blobs/${key}`);
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
      if (!(await this.#options.folder.has(`blobs/${blob}`))) return true;
    }
    return false;
  }

  async #copyVectors(log: LogCopy): Promise<void> {
    const path = join(this.#options.work, 'vectors.db');
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

  /** Lists a database that is in the backup, or moves it there. */
  async #addDatabase(path: string): Promise<void> {
    const { folder, work } = this.#options;
    const isThere = work === folder.path;
    const digest = isThere ? await folder.digest(path) : await folder.copy(join(work, path), path);
    if (digest !== null) await this.#list.add({ path, ...digest });
    if (!isThere) await rm(join(work, path), { force: true });
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

/** @throws OperatorError */
async function assertFree(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize > bytes) return;
  const megabytes = (count: number) => Math.ceil(count / 1_000_000);
  throw new OperatorError(
    `The backup needs ${megabytes(bytes)} MB, but the disk of ${folder} has ${megabytes(bavail * bsize)} MB.`,
  );
}

/** Makes the entries of a folder and of all folders in it durable. */
async function syncTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncTree(join(folder, entry.name));
  }
  await syncFolder(folder);
}
