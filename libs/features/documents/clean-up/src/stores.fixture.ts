import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentRepository, documentStream, Erasure } from '#features/documents';
import { contentHash, type OrganizationId } from '#platform/kernel';
import { DiskBlobStore } from '#ports/blobs';
import { createCommandHandler, createFoldCache, SqliteEventStore } from '#ports/event-store';
import { SqliteVectorStore } from '#ports/vector-store';
import { event } from '../../../../ports/event-store/src/testing.ts';

/** A log and what documents have outside it; only specs import this. */

export const ORGANIZATION = 'organizationA' as OrganizationId;

export const streamOf = (id: string): string => documentStream(ORGANIZATION, id);
const keyOf = (id: string) => contentHash('space', ORGANIZATION, id);

class Stores {
  readonly #folder: string;
  readonly store: SqliteEventStore;
  readonly blobs: DiskBlobStore;
  readonly vectors: SqliteVectorStore;
  readonly erasure: Erasure;

  static async open(): Promise<Stores> {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-erasure-'));
    return new Stores(
      folder,
      await SqliteEventStore.open({ path: join(folder, 'events.db') }),
      await DiskBlobStore.open(join(folder, 'blobs')),
      await SqliteVectorStore.open(join(folder, 'vectors.db')),
    );
  }

  private constructor(folder: string, store: SqliteEventStore, blobs: DiskBlobStore, vectors: SqliteVectorStore) {
    this.#folder = folder;
    this.store = store;
    this.blobs = blobs;
    this.vectors = vectors;
    this.erasure = new Erasure(blobs, vectors);
  }

  async close(): Promise<void> {
    await this.vectors.close();
    await this.store.close();
    await rm(this.#folder, { recursive: true });
  }

  /** As another process reads the log: nothing is cached. */
  newDocuments(): DocumentRepository {
    const cache = createFoldCache({ characters: 100_000 });
    const clock = { now: () => Date.now() };
    return new DocumentRepository(createCommandHandler({ store: this.store, clock, cache }));
  }

  /** Adds a document with one vector and one blob. */
  async added(id: string): Promise<void> {
    await this.store.append(streamOf(id), [event('DocumentAdded', { id })], { expected: 'no-stream' });
    await this.stored(id);
  }

  /** What a stage stores for a document. */
  async stored(id: string): Promise<void> {
    await this.vectors.put(streamOf(id), [{ key: keyOf(id), vector: Uint8Array.of(1) }]);
    await this.blobs.put(`${ORGANIZATION}/${id}/text.utf8`, Buffer.from(id));
  }

  async deleted(id: string, at = '2026-01-02T03:04:05.678Z'): Promise<void> {
    const deletion = event('DocumentDeleted', null, { at });
    await this.store.append(streamOf(id), [deletion], { expected: 'stream-exists', erase: true });
  }

  async left(...ids: readonly string[]) {
    const folders: string[] = [];
    for await (const name of this.blobs.listFolders()) folders.push(name.split('/')[1] as string);
    const found = await this.vectors.get(ids.map(keyOf));
    return { vectors: ids.filter((_, i) => found[i] !== null), blobs: folders.sort() };
  }
}

/** Fixtures of a suite, new for each of its tests. */
export function storesSuite(): { readonly stores: Stores; readonly stop: AbortController } {
  let stores: Stores;
  let stop: AbortController;
  beforeEach(async () => {
    stores = await Stores.open();
    stop = new AbortController();
  });
  afterEach(() => stores.close());
  return {
    get stores() {
      return stores;
    },
    get stop() {
      return stop;
    },
  };
}
