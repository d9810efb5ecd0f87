import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedStorage, openStorage } from '#composition/runtime';
import { blobFolder, documentStream } from '#features/documents';
import { contentHash, newId, type OrganizationId, systemClock } from '#platform/kernel';
import { LogCopy, type NewEvent } from '#ports/event-store';
import { SqliteVectorStore } from '#ports/vector-store';
import { BackupFolder } from './backup-folder.ts';
import { BackupWriter } from './backup-writer.ts';
import { PLAIN } from './form.ts';

const ORGANIZATION = 'org' as OrganizationId;

let root: string;
let storage: Awaited<ReturnType<typeof openStorage>>;
let embedded: EmbeddedStorage;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mneme-backup-'));
  const settings = {
    ...{ dataFolder: join(root, 'data'), cacheBytes: 0, prefix: 'mneme' },
    ...{ eventStoreUrl: null, natsUrl: null, openSearchUrl: null },
  };
  storage = await openStorage(settings, () => {});
  embedded = storage.embedded as EmbeddedStorage;
  folder = join(root, 'backup');
  await mkdir(folder);
});
afterEach(async () => {
  await storage.close();
  await rm(root, { recursive: true });
});

const keyOf = (id: string, text = id) => `${blobFolder(ORGANIZATION, id)}${contentHash(text)}.utf8`;

const eventOf = (type: string, payload: NewEvent['payload']): NewEvent => ({
  envelope: {
    ...{ id: newId(), type, schemaVersion: 1, at: '2026-01-02T03:04:05.678Z', organization: ORGANIZATION, tags: [] },
    ...{ actor: 'system', correlationId: 'c', causationId: null },
  },
  payload,
});

async function addDocument(id: string): Promise<void> {
  await storage.blobs.put(keyOf(id), Buffer.from(`text of ${id}`));
  const content = { text: { blob: keyOf(id), length: 10 } };
  await storage.store.append(documentStream(ORGANIZATION, id), [eventOf('DocumentAdded', { id, content })], {
    expected: 'no-stream',
  });
  const vector = { key: contentHash(id), vector: new Uint8Array(8) };
  await storage.vectors.put(documentStream(ORGANIZATION, id), [vector]);
}

async function deleteDocument(id: string): Promise<void> {
  const stream = documentStream(ORGANIZATION, id);
  await storage.store.append(stream, [eventOf('DocumentDeleted', null)], { expected: 'any', erase: true });
  await storage.blobs.deletePrefix(blobFolder(ORGANIZATION, id));
  await storage.vectors.release(stream);
}

const write = (onBytes: (bytes: number) => void = () => {}, signal = new AbortController().signal) => {
  const writer = new BackupWriter({
    folder: new BackupFolder(folder, PLAIN),
    work: folder,
    files: storage.files,
    storage: embedded,
    clock: systemClock,
    onBytes,
    signal,
  });
  return writer.write().finally(() => writer.close());
};

/** Documents with their blobs and vectors in the backup. */
async function contents() {
  const log = await LogCopy.open(join(folder, 'events.db'));
  const vectors = await SqliteVectorStore.open(join(folder, 'vectors.db'));
  try {
    const owners: string[] = [];
    for await (const page of vectors.owners(10)) owners.push(...page);
    const blobs = await readdir(join(folder, 'blobs', ORGANIZATION)).catch(() => []);
    return {
      position: log.position,
      owners,
      blobs,
      log: await log.areLive(['a', 'b', 'c'].map((id) => documentStream(ORGANIZATION, id))),
    };
  } finally {
    await log.close();
    await vectors.close();
  }
}

test('a backup holds what there is, and lists every file', async () => {
  await addDocument('a');
  await addDocument('b');
  await deleteDocument('b');
  const manifest = await write();
  const head = await storage.store.head();
  const { storeId } = storage.store;
  expect(manifest).toMatchObject({ format: 1, storeId, position: `${storeId}:${head}` });
  expect(await contents()).toEqual({
    position: head,
    log: [true, false, false],
    blobs: ['a'],
    owners: [documentStream(ORGANIZATION, 'a')],
  });
  const listed: string[] = [];
  for await (const { path } of new BackupFolder(folder, PLAIN).list('files.jsonl')) listed.push(path);
  expect(listed.toSorted()).toEqual([`blobs/${keyOf('a')}`, 'events.db', 'vectors.db']);
});

test('documents that are added and deleted during the backup are in it whole or not at all', async () => {
  for (let i = 0; i < 60; i += 1) await addDocument(`x${i}`);
  const changes: Promise<void>[] = [];
  let n = 0;
  await write(() => {
    const [added, deleted] = [`y${n}`, `x${n}`];
    n += 1;
    if (n <= 60) changes.push(addDocument(added).then(() => deleteDocument(deleted)));
    if (n > 10 && n <= 60) changes.push(deleteDocument(`y${n - 10}`).catch(() => {}));
  }).finally(() => Promise.all(changes));
  const log = await LogCopy.open(join(folder, 'events.db'));
  const inBackup = new Set(await readdir(join(folder, 'blobs', ORGANIZATION)));
  const ids = Array.from({ length: 60 }, (_, i) => [`x${i}`, `y${i}`]).flat();
  const live = await log.areLive(ids.map((id) => documentStream(ORGANIZATION, id)));
  await log.close();
  expect(ids.filter((id, i) => live[i] !== inBackup.has(id))).toEqual([]);
  expect(existsSync(join(storage.files.blobs, '.held'))).toBe(false);
  expect(await readFile(join(folder, 'manifest.json'), 'utf8')).toContain('"format": 1');
});

test('an aborted backup has no manifest', async () => {
  await addDocument('a');
  const stopping = new AbortController();
  await expect(write(() => stopping.abort(), stopping.signal)).rejects.toThrow();
  expect(existsSync(join(folder, 'manifest.json'))).toBe(false);
});
