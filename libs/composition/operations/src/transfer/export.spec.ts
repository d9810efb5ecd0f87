import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openParts, type Parts } from '#composition/runtime';
import { blobFolder, documentStream, foldDocument, initialState } from '#features/documents';
import { loadConfig } from '#platform/config';
import { newId, type OrganizationId, systemClock } from '#platform/kernel';
import type { NewEvent } from '#ports/event-store';
import { exportDocuments } from './export.ts';
import { eventsOfHistory } from './imported-events.ts';

const ORGANIZATION = 'org' as OrganizationId;

let root: string;
let parts: Parts;
const { config } = loadConfig({ MNEME_EMBEDDING: 'off' });
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mneme-export-'));
  parts = await openParts({ ...config, dataFolder: join(root, 'data') }, { clock: systemClock, logger: console });
  const founded = [eventOf('OrganizationFounded', { name: 'Mneme' })];
  await parts.storage.store.append('organization-org', founded, { expected: 'no-stream' });
});
afterEach(async () => {
  await parts.close();
  await rm(root, { recursive: true });
});

const eventOf = (type: string, payload: NewEvent['payload']): NewEvent => ({
  envelope: {
    ...{ id: newId(), type, schemaVersion: 1, at: '2026-01-02T03:04:05.678Z', organization: ORGANIZATION, tags: ['t'] },
    ...{ actor: 'system', correlationId: 'c', causationId: null },
  },
  payload,
});

async function addDocument(id: string): Promise<string> {
  const text = `${id} `.repeat(20_000);
  const content = { text: await parts.texts.store(ORGANIZATION, id, text) };
  const details = { type: 'text', source: 'api', url: null, metadata: null, filepath: null, documentDate: null };
  const added = eventOf('DocumentAdded', { id, customId: null, content, taskType: 'memory', ...details });
  await parts.storage.store.append(documentStream(ORGANIZATION, id), [added], { expected: 'no-stream' });
  return text;
}

async function deleteDocument(id: string): Promise<void> {
  const deleted = [eventOf('DocumentDeleted', null)];
  await parts.storage.store.append(documentStream(ORGANIZATION, id), deleted, { expected: 'any', erase: true });
  await parts.storage.blobs.deletePrefix(blobFolder(ORGANIZATION, id));
}

async function exported() {
  const folder = join(root, 'exported');
  const context = { config, parts, server: null, clock: systemClock };
  const lines = [];
  for await (const line of exportDocuments(context, { folder }, new AbortController().signal)) lines.push(line);
  const text = await readFile(join(folder, 'documents.jsonl'), 'utf8');
  const documents = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return { lines, documents, files: await readdir(join(folder, 'files')) };
}

test.each(['before its files are read', 'after its files are read'])(
  'a document deleted %s is not exported',
  async (moment) => {
    const [kept, gone] = [newId(), newId()];
    const text = await addDocument(gone);
    await addDocument(kept);
    const { blobs } = parts.storage;
    const stream = blobs.stream.bind(blobs);
    blobs.stream = async (key) => {
      const isGone = key.startsWith(blobFolder(ORGANIZATION, gone));
      if (isGone && moment.startsWith('before')) await deleteDocument(gone);
      const pieces = await stream(key);
      if (!isGone || pieces === null || !moment.startsWith('after')) return pieces;
      return (async function* () {
        yield* pieces;
        await deleteDocument(gone);
      })();
    };
    const { lines, documents, files } = await exported();
    expect(documents.map(({ id }) => id)).toEqual([kept]);
    expect(files).toHaveLength(1);
    expect(JSON.stringify(documents)).not.toContain(text.slice(0, 23));
    expect(lines.at(-1)).toMatchObject({ done: true, documents: 1, skipped: 0 });
  },
);

test('a document whose text is lost is named and skipped', async () => {
  const id = newId();
  await addDocument(id);
  await parts.storage.blobs.deletePrefix(blobFolder(ORGANIZATION, id));
  const { lines, documents } = await exported();
  expect(documents).toEqual([]);
  expect(lines).toContainEqual(expect.objectContaining({ problem: 'lost', id }));
  expect(lines.at(-1)).toMatchObject({ done: true, documents: 0, skipped: 1 });
});

test('a page that was fetched again without a change is exported with what was formed of it', async () => {
  const id = newId();
  const url = 'https://site.test/ferry';
  const of = (type: string, contentVersion: number, stage: string | null, payload: NewEvent['payload']): NewEvent => {
    const event = eventOf(type, payload);
    return { ...event, envelope: { ...event.envelope, contentVersion, ...(stage !== null && { stage }) } };
  };
  const details = { type: 'webpage', source: 'api', url, metadata: null, filepath: null, documentDate: null };
  const text = { text: { inline: 'The ferry leaves.' }, title: 'Ferry', type: 'webpage', author: 'Ada' };
  const chunks = { inline: [['c'.repeat(22), 0, 17]] };
  const fetched = (etag: string) => ({ fetched: { etag, lastModified: null } });
  const again = (version: number) => [
    of('ContentReplaced', version, null, { content: { page: url } }),
    of('StageStarted', version, 'extracting', null),
    of('PageUnchanged', version, null, fetched(`"${version}"`)),
  ];
  const events = [
    of('DocumentAdded', 1, null, { id, customId: 'f', content: { page: url }, taskType: 'memory', ...details }),
    of('ContentExtracted', 1, 'extracting', { ...text, ...fetched('"1"') }),
    of('ContentChunked', 1, 'chunking', { chunks, unitKey: 'a'.repeat(32) }),
    of('MemoriesFormed', 1, 'chunking', { memories: { inline: [['m'.repeat(22), 0, 17, null]] } }),
    of('SummaryFormed', 1, 'summarizing', { summary: 'The ferry leaves.' }),
    of('DocumentIndexed', 1, 'indexing', null),
  ];
  const append = (more: readonly NewEvent[], expected: 'no-stream' | 'stream-exists') =>
    parts.storage.store.append(documentStream(ORGANIZATION, id), more, { expected });
  await append(events, 'no-stream');
  for (let version = 2; version <= 21; version += 1) await append(again(version), 'stream-exists');
  const [{ history, ...line }] = (await exported()).documents as [{ history: Parameters<typeof eventsOfHistory>[0] }];
  expect(line).toMatchObject({ status: 'done', content: 'The ferry leaves.', author: 'Ada', language: null });
  // What was formed is there of the first version and of the last one.
  expect(history.filter(({ type }) => type === 'MemoriesFormed').map(({ contentVersion }) => contentVersion)).toEqual([
    1, 21,
  ]);
  expect(history).toHaveLength(10);
  const imported = eventsOfHistory(history, { organization: ORGANIZATION, id, now: 0 });
  expect(imported.reduce(foldDocument, initialState)).toMatchObject({
    // Nothing is left to do but to embed and to index.
    ...{
      stage: 'embedding',
      recorded: ['extracting', 'chunking', 'summarizing'],
      contentVersion: 21,
      chunks,
      formerPage: null,
    },
    ...{ extracted: text.text, title: 'Ferry', author: 'Ada', ...fetched('"21"'), summary: 'The ferry leaves.' },
  });
});
