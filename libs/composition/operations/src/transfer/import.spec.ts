import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openParts, type Parts } from '#composition/runtime';
import { documentStream } from '#features/documents';
import { loadConfig } from '#platform/config';
import { type JsonObject, newId, type OrganizationId, systemClock } from '#platform/kernel';
import type { NewEvent } from '#ports/event-store';
import { SmallDisk } from '../../../../../test/support/small-disk.ts';
import type { OperationsContext } from '../operation.ts';
import { EXPORT_FORMAT } from './format.ts';
import { importDocuments } from './import.ts';

const ORGANIZATION = 'org' as OrganizationId;
const AT = '2020-01-02T03:04:05.678Z';

let root: string;
let parts: Parts;
const { config } = loadConfig({ MNEME_EMBEDDING: 'off' });
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mneme-import-'));
  parts = await openParts({ ...config, dataFolder: join(root, 'data') }, { clock: systemClock, logger: console });
  const founded = [envelopeOf('OrganizationFounded', [], { name: 'Mneme' })];
  await parts.storage.store.append('organization-org', founded, { expected: 'no-stream' });
});
afterEach(async () => {
  await parts.close();
  await rm(root, { recursive: true });
});

const envelopeOf = (type: string, tags: readonly string[], payload: JsonObject | null): NewEvent => ({
  envelope: {
    ...{ id: newId(), type, schemaVersion: 1, at: AT, organization: ORGANIZATION, tags },
    ...{ actor: 'system', correlationId: 'merge', causationId: null },
  },
  payload,
});

const entryOf = (type: string, payload: JsonObject, tags = ['t']) => ({
  ...{ at: AT, type, schemaVersion: 1, tags, correlationId: 'c', contentVersion: 1, payload },
});

function lineOf(id: string, history: readonly object[] = [], text = `Text of ${id}.`): object {
  const content = { text: { inline: text } };
  const details = { type: 'text', source: 'api', url: null, metadata: null, filepath: null, documentDate: null };
  const added = entryOf('DocumentAdded', { id, customId: null, content, taskType: 'memory', ...details });
  return { id, createdAt: AT, updatedAt: AT, contentHash: 'x', history: [added, ...history] };
}

/** @returns the folder of an export */
async function exportOf(lines: readonly object[]): Promise<string> {
  const folder = join(root, newId());
  await mkdir(folder);
  await writeFile(join(folder, 'manifest.json'), JSON.stringify({ format: EXPORT_FORMAT, documents: lines.length }));
  await writeFile(join(folder, 'documents.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return folder;
}

async function importFolder(folder: string, changed: Partial<OperationsContext> = {}) {
  const context = { config, parts, server: null, clock: systemClock, ...changed };
  const answers: JsonObject[] = [];
  for await (const line of importDocuments(context, { folder }, new AbortController().signal)) answers.push(line);
  return { answers, problems: answers.filter(({ problem }) => problem !== undefined), result: answers.at(-1) };
}

const importLines = async (...lines: readonly object[]) => importFolder(await exportOf(lines));

const eventsOf = async (id: string) => (await parts.storage.store.readStream(documentStream(ORGANIZATION, id))).events;

test.each([
  ['an older', EXPORT_FORMAT - 1, 'imports 2 only'],
  ['a newer', EXPORT_FORMAT + 1, 'or a newer one'],
])('an export of %s format is refused', async (_, format, sentence) => {
  const folder = await exportOf([lineOf(newId())]);
  await writeFile(join(folder, 'manifest.json'), JSON.stringify({ format, version: '0.1.0', documents: 1 }));
  await expect(importFolder(folder)).rejects.toThrow(sentence);
});

test('events are recorded with the time and the actor of the import, their former times are payload', async () => {
  const id = newId();
  expect((await importLines(lineOf(id))).result).toMatchObject({ done: true, imported: 1, skipped: 0 });
  const events = await eventsOf(id);
  expect(events.map(({ envelope }) => envelope.type)).toEqual(['DocumentAdded', 'DocumentImported']);
  for (const { envelope } of events) {
    expect(envelope).toMatchObject({ actor: 'system', tags: ['t'] });
    expect(envelope.at).not.toBe(AT);
  }
  expect(events[1]?.payload).toEqual({ createdAt: AT, updatedAt: AT, times: { inline: [[0, AT]] } });
});

test('former tags have the times of the installation that they come from', async () => {
  const id = newId();
  const later = '2020-03-04T05:06:07.000Z';
  await importLines(lineOf(id, [{ ...entryOf('DetailsChanged', {}, ['u']), at: later }]));
  const payload = (await eventsOf(id)).at(-1)?.payload;
  expect(payload).toMatchObject({ formerTags: [{ tags: ['t'], until: Date.parse(later) }] });
});

test.each([
  ['an unknown event', entryOf('SomethingElse', {})],
  ['a deletion', entryOf('DocumentDeleted', {})],
  ['an event without tags', entryOf('DetailsChanged', {}, [])],
  ['an event with text as its code', { ...entryOf('DetailsChanged', {}), code: 'some words of the caller' }],
  ['a second document', lineOf(newId())],
])('a line with %s is malformed, and the next one is imported', async (_, entry) => {
  const [bad, good] = [newId(), newId()];
  const { problems, result } = await importLines(lineOf(bad, [entry]), lineOf(good));
  expect(problems).toMatchObject([
    { problem: 'malformed', line: 1, message: expect.stringMatching(/^Line 1: .*history/) },
  ]);
  expect(result).toMatchObject({ imported: 1, skipped: 1 });
  expect(await eventsOf(bad)).toEqual([]);
});

test('a reference cannot lead to the blobs of another document', async () => {
  const id = newId();
  const reference = { text: { blob: '../other/text.utf8', sha256: 'a'.repeat(64), length: 3 } };
  const { problems } = await importLines(lineOf(id, [{ ...entryOf('ContentAppended', reference), contentVersion: 2 }]));
  expect(problems).toMatchObject([{ problem: 'damaged' }]);
  expect(await eventsOf(id)).toEqual([]);
});

test('a document with more events than fit into one append of EventStoreDB is imported whole', async () => {
  const id = newId();
  const long = 'A sentence of some length. '.repeat(1_000);
  const appends = Array.from({ length: 40 }, (_, i) => ({
    ...entryOf('ContentAppended', { text: { inline: `${i} ${long}` } }),
    contentVersion: i + 2,
  }));
  expect((await importLines(lineOf(id, appends))).result).toMatchObject({ imported: 1 });
  const events = await eventsOf(id);
  expect(Buffer.byteLength(JSON.stringify(events.map(({ payload }) => payload)))).toBeLessThan(100_000);
  const state = await parts.documents.load({ organization: ORGANIZATION, tags: 'all', access: 'read' }, id);
  const text = state.status === 'live' ? await parts.texts.content(state) : null;
  expect(text).toBe(`Text of ${id}.${appends.map((_, i) => `${i} ${long}`).join('')}`);
});

test('a document of which a killed import has recorded a part is completed by the same import', async () => {
  const id = newId();
  const changes = Array.from({ length: 30 }, (_, i) => entryOf('DetailsChanged', { metadata: { [`key ${i}`]: i } }));
  const folder = await exportOf([lineOf(id, changes)]);
  const { storage } = parts;
  const stream = documentStream(ORGANIZATION, id);
  // An engine without transactions, on which a stage begins after the first append, and then the process is killed.
  const store = new Proxy(storage.store, {
    get(target, name) {
      if (name !== 'appendTogether') return Reflect.get(target, name).bind(target);
      return async ([[first]]: Parameters<typeof target.appendTogether>[0] & [[{ events: NewEvent[] }]]) => {
        await target.append(stream, first.events, { expected: 'no-stream' });
        await target.append(stream, [envelopeOf('StageStarted', ['t'], null)], { expected: 'any' });
        throw new Error('killed');
      };
    },
  });
  await expect(importFolder(folder, { parts: { ...parts, storage: { ...storage, store } } })).rejects.toThrow('killed');
  expect(await eventsOf(id)).toHaveLength(13);

  expect((await importFolder(folder)).result).toMatchObject({ imported: 1, skipped: 0 });
  const events = await eventsOf(id);
  const metadata = events.flatMap(({ envelope, payload }) => (envelope.type === 'DetailsChanged' ? [payload] : []));
  expect(metadata).toEqual(changes.map(({ payload }) => payload));
  expect(events.map(({ envelope }) => envelope.type).filter((type) => type !== 'DetailsChanged')).toEqual([
    ...['DocumentAdded', 'StageStarted', 'DocumentImported'],
  ]);
});

test('a document whose tag is being merged is skipped', async () => {
  const [id, started] = [newId(), envelopeOf('TagMergeStarted', ['target', 't'], null)];
  await parts.storage.store.append('merges', [started], { expected: 'no-stream' });
  expect((await importLines(lineOf(id))).problems).toMatchObject([{ problem: 'tag_merging', line: 1 }]);
  expect(await eventsOf(id)).toEqual([]);
});

test('an import that fills the disk ends with a sentence, and the same import continues it', async () => {
  const disk = await SmallDisk.mount(32);
  if (disk === null) return;
  const small = { ...config, dataFolder: join(disk.folder, 'data'), minFreeBytes: 0 };
  const onDisk = await openParts(small, { clock: systemClock, logger: console });
  try {
    const founded = [envelopeOf('OrganizationFounded', [], { name: 'Mneme' })];
    await onDisk.storage.store.append('organization-org', founded, { expected: 'no-stream' });
    const text = 'Many words about wallabies. '.repeat(1_000);
    const folder = await exportOf(Array.from({ length: 200 }, () => lineOf(newId(), [], text)));
    disk.fill(3);
    const full = { parts: onDisk, config: small };
    await expect(importFolder(folder, full)).rejects.toMatchObject({
      code: 'import_interrupted',
      message: expect.stringMatching(/^The disk is full .* run the same command again: it continues/),
    });
    disk.free();
    const kept = { ...small, minFreeBytes: 1_000_000_000 };
    await expect(importFolder(folder, { ...full, config: kept })).rejects.toMatchObject({ code: 'import_interrupted' });
    const { problems, result } = await importFolder(folder, full);
    // The lines of this test have no hash by which their documents are recognised.
    expect(problems.every(({ problem }) => problem === 'exists')).toBe(true);
    expect(problems.length).toBeGreaterThan(0);
    expect(result).toMatchObject({ done: true, imported: 200 - problems.length });
  } finally {
    await onDisk.close();
    await disk.unmount();
  }
});

test('an import waits while half of the backlog is unfinished', async () => {
  const folder = await exportOf(Array.from({ length: 9 }, () => lineOf(newId())));
  const counted: number[] = [];
  let processed = 0;
  const reader = {
    countUnfinished: async () => {
      const added = await parts.storage.store.readAll({
        after: null,
        limit: 100,
        filter: { types: ['DocumentAdded'] },
      });
      const unfinished = added.events.length - processed;
      counted.push(unfinished);
      processed += Math.min(unfinished, 1);
      return unfinished;
    },
  };
  const views = { reader, progress: { reached: async () => true } } as unknown as Parts['views'];
  const server = { startedAt: 0 } as unknown as OperationsContext['server'];
  const { answers, result } = await importFolder(folder, {
    ...{ parts: { ...parts, views }, server, config: { ...config, maxBacklog: 4 } },
  });
  expect(result).toMatchObject({ imported: 9 });
  expect(Math.max(...counted)).toBe(2);
  expect(answers).toContainEqual({ phase: 'import', documents: expect.any(Number), of: 9, waits: true });
});
