import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentStream } from '#features/documents';
import { loadConfig } from '#platform/config';
import { newId, type OrganizationId, systemClock, systemScope } from '#platform/kernel';
import type { NewEvent, Position } from '#ports/event-store';
import { lockForWrites } from '../../../../read-side/views/src/adapters/sqlite/locked.fixture.ts';
import { openParts, type Parts } from '../parts.ts';
import { openWriter } from './target.ts';

const ORGANIZATION = 'organizationA' as OrganizationId;
const TEXT = 'The heron waits at the weir.';

let folder: string;
let parts: Parts;
let stopping: AbortController;
let following: Promise<void>;
const warnings: string[] = [];
const logger = { ...console, info: () => {}, warn: (message: string) => void warnings.push(message) };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-views-'));
  warnings.length = 0;
  await open();
});
afterEach(async () => {
  await close();
  await rm(folder, { recursive: true });
});

async function open(): Promise<void> {
  const { config } = loadConfig({ MNEME_DATA: folder, MNEME_EMBEDDING: 'off' });
  parts = await openParts(config, { clock: systemClock, logger });
  stopping = new AbortController();
  following = parts.views.follow({ fencingToken: 1, signal: stopping.signal });
}

async function close(): Promise<void> {
  stopping.abort();
  await following;
  await parts.close();
}

const eventOf = (type: string, payload: NewEvent['payload']): NewEvent => ({
  envelope: {
    ...{ id: newId(), type, schemaVersion: 1, at: new Date().toISOString(), organization: ORGANIZATION, tags: ['t'] },
    ...{ actor: 'system', correlationId: 'c', causationId: null },
  },
  payload,
});

async function addDocument(): Promise<string> {
  const id = newId();
  const content = { text: await parts.texts.store(ORGANIZATION, id, TEXT) };
  const details = { type: 'text', source: 'api', url: null, metadata: null, filepath: null, documentDate: null };
  const added = eventOf('DocumentAdded', { id, customId: null, content, taskType: 'memory', ...details });
  await parts.storage.store.append(documentStream(ORGANIZATION, id), [added], { expected: 'no-stream' });
  return id;
}

async function deleteDocument(id: string): Promise<void> {
  const deleted = [eventOf('DocumentDeleted', null)];
  await parts.storage.store.append(documentStream(ORGANIZATION, id), deleted, { expected: 'any', erase: true });
}

const addDocuments = (count: number) => Promise.all(Array.from({ length: count }, addDocument));

async function atHead(): Promise<void> {
  expect(await parts.views.progress.reached(await parts.storage.store.head(), 30_000)).toBe(true);
}

const listed = () =>
  parts.views.reader.list({
    ...{ scope: systemScope(ORGANIZATION), filter: null, filepath: null },
    ...{ stages: null, sort: 'createdAt', order: 'asc', offset: 0, limit: 1 },
  });

test('rebuilt views take over only when they show all that the serving ones have shown', async () => {
  const [deleted] = await addDocuments(50);
  const swapped = await parts.views.rebuild({
    signal: stopping.signal,
    onProgress: () => {},
    inspect: async () => {
      const release = lockForWrites(join(folder, 'views.db-rebuilt'));
      await addDocuments(3_000);
      await deleteDocument(deleted as string);
      await atHead();
      expect((await listed()).total).toBe(3_049);
      // While the take-over waits for the lock; nothing tells when it begins to.
      setTimeout(release, 300);
      return true;
    },
  });
  expect(swapped).toBe(true);
  // Not a moment later: nothing has been acknowledged since.
  expect((await listed()).total).toBe(3_049);
  await addDocuments(1);
  await atHead();
  expect((await listed()).total).toBe(3_050);
});

test('a rebuild that is aborted before it takes over leaves the serving views in place, which follow the log', async () => {
  await addDocuments(20);
  const aborting = new AbortController();
  const swapped = await parts.views.rebuild({
    signal: aborting.signal,
    onProgress: () => {},
    inspect: async () => {
      aborting.abort();
      return true;
    },
  });
  expect(swapped).toBe(false);
  await addDocuments(1);
  await atHead();
  expect((await listed()).total).toBe(21);
});

test('views with rows of another history are rebuilt, also if only those beyond their checkpoint are, and others are not', async () => {
  await addDocuments(3);
  await atHead();
  const head = await parts.storage.store.head();
  await close();
  await open();
  expect([warnings, await parts.documents.orphans.since()]).toEqual([[], null]);
  expect(await parts.views.progress.reached(head, 0)).toBe(true);
  await close();
  const writer = await openWriter({ kind: 'file', path: join(folder, 'views.db'), space: 'test/1/32' });
  await writer.report('70-event' as Position, []);
  await writer.close();
  await open();
  expect(warnings).toEqual([expect.stringMatching(/^the views follow from events that the log does not hold/)]);
  expect(await parts.documents.orphans.since()).toEqual(expect.any(String));
  await atHead();
  expect((await listed()).total).toBe(3);
});
