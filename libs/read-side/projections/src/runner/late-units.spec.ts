import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentTexts, documentStream } from '#features/documents';
import { newId, systemScope } from '#platform/kernel';
import { type NewEvent, SqliteEventStore } from '#ports/event-store';
import { RowRejectedError, SqliteViewsReader, SqliteViewsWriter } from '#read-side/views';
import { until } from '../../../../platform/kernel/src/testing/eventually.ts';
import { newOrganization, searchFor, unitSet } from '../../../views/src/testing.ts';
import { Projector } from '../projector.ts';
import type { DeferredUnits } from '../read-model.ts';
import { DOCUMENTS } from '../read-models/documents.ts';
import { runProjection } from './run-projection.ts';

const ORGANIZATION = newOrganization();
const LONG = 'The long text about goats.';

let folder: string;
let store: SqliteEventStore;
let writer: SqliteViewsWriter;
let reader: SqliteViewsReader;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-late-units-'));
  store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
  writer = SqliteViewsWriter.open({ path: join(folder, 'views.db') });
  reader = SqliteViewsReader.open({ path: join(folder, 'views.db'), cacheBytes: 1 << 20 });
});
afterEach(async () => {
  await reader.close();
  await writer.close();
  await store.close();
  await rm(folder, { recursive: true });
});

const event = (type: string, payload: NewEvent['payload'], facts: object = {}): NewEvent => ({
  envelope: {
    ...{ id: newId(), type, schemaVersion: 1, at: new Date().toISOString(), organization: ORGANIZATION, tags: ['t'] },
    ...{ actor: 'system', correlationId: 'c', causationId: null, contentVersion: 1, ...facts },
  },
  payload,
});

/** Appends a document whose units are formed. */
async function form(text: string, id = newId()): Promise<string> {
  const details = { type: 'text', source: 'api', url: null, metadata: null, filepath: null, documentDate: null };
  const whole = [0, text.length] as const;
  const events = [
    event('DocumentAdded', { id, customId: null, content: { text: { inline: text } }, taskType: 'memory', ...details }),
    event('ContentExtracted', { text: null, title: null, type: 'text' }),
    event('ContentChunked', { chunks: { inline: [[`${id}-c`, ...whole]] } }),
    event('MemoriesFormed', { memories: { inline: [[`${id}-m`, ...whole, null]] } }),
  ];
  await store.append(documentStream(ORGANIZATION, id), events, { expected: 'no-stream' });
  return id;
}

const append = (id: string, event: NewEvent, erase = false) =>
  store.append(documentStream(ORGANIZATION, id), [event], { expected: 'any', erase });

const find = async (question: string): Promise<readonly string[]> => {
  const wanted = { scope: systemScope(ORGANIZATION), filter: null, filepath: null, documentId: null };
  return (await reader.search(searchFor(question, wanted))).map(({ document }) => document.id);
};

/** Follows the log; units of the long text are written when `write` resolves. */
function follow(write: (units: DeferredUnits, signal: AbortSignal) => Promise<void>) {
  const stopping = new AbortController();
  const seen: string[] = [];
  const failed: string[] = [];
  const look = () => {};
  const running = runProjection({
    ...{ store, writer, signal: stopping.signal },
    projector: new Projector({
      ...{ store, texts: new DocumentTexts({} as never), vectors: { get: () => [] }, space: 'test/1/32' },
      ...{ models: [DOCUMENTS], defers: ({ content }) => 'parts' in content && isLong(content.parts[0]) },
    }),
    writeDeferred: (units) => write(units, stopping.signal),
    late: {
      takes: () => true,
      write,
      onChange: ({ id }, isLate) => {
        seen.push(`${id} ${isLate ? 'late' : 'there'}`);
        look();
      },
    },
    documents: {
      change: async (_scope: unknown, id: string) => {
        failed.push(id);
      },
    } as never,
    onProgress: (position) => {
      seen.push(position);
      look();
    },
    onFault: () => {},
  });
  return {
    failed,
    /** Resolves when the projection has reported it. */
    async reports(what: string): Promise<void> {
      await until(
        () => seen,
        (all) => all.includes(what),
      );
    },
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
}

const isLong = (part: object | undefined): boolean => part !== undefined && 'inline' in part && part.inline === LONG;

const head = async () => (await store.head()) as string;
const writeUnits = ({ row }: DeferredUnits) => writer.writeAhead([{ kind: 'upsert', row, units: unitSet(LONG) }]);
const never = (_units: DeferredUnits, signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('a short document overtakes a long one whose units are being written', async () => {
  await form('Before.');
  const written = Promise.withResolvers<void>();
  const views = follow(async (units) => {
    await written.promise;
    await writeUnits(units);
  });
  await views.reports(await head());
  const before = await writer.checkpoint();
  const long = await form(LONG);
  await views.reports(`${long} late`);
  const short = await form('A short text about weirs.');
  await views.reports(await head());
  expect([await find('weirs'), await find('goats')]).toEqual([[short], []]);
  expect(await writer.checkpoint()).toBe(before);

  written.resolve();
  await views.reports(`${long} there`);
  expect(await find('goats')).toEqual([long]);
  await views.stop();
  expect(await writer.checkpoint()).toBe(await head());
});

test('units whose writing has ended with the process are written again', async () => {
  await form('Before.');
  const first = follow(never);
  await first.reports(await head());
  const long = await form(LONG);
  await first.reports(`${long} late`);
  await form('A short text about weirs.');
  await first.reports(await head());
  await first.stop();

  const second = follow(writeUnits);
  await second.reports(`${long} there`);
  expect(await find('goats')).toEqual([long]);
  await second.stop();
  expect(await writer.checkpoint()).toBe(await head());
});

test('a document that is deleted while its units are written leaves nothing', async () => {
  await form('Before.');
  let aborted = false;
  const views = follow(async (units, signal) => {
    await never(units, signal).catch(() => undefined);
    aborted = true;
    // What was on its way when the signal aborted.
    await writeUnits(units);
    throw signal.reason;
  });
  await views.reports(await head());
  const long = await form(LONG);
  await views.reports(`${long} late`);
  await append(long, event('DocumentDeleted', null), true);
  await views.reports(`${long} there`);
  expect(aborted).toBe(true);
  expect(await reader.documents(systemScope(ORGANIZATION), [long])).toEqual([]);
  expect(await find('goats')).toEqual([]);
  await views.reports(await head());
  expect(await writer.checkpoint()).toBe(await head());
  await views.stop();
});

test('a document whose units the views reject fails, and holds up no other', async () => {
  await form('Before.');
  const views = follow(async ({ row: { organization, id } }) => {
    throw new RowRejectedError([{ organization, id, reason: 'too large' }]);
  });
  await views.reports(await head());
  const long = await form(LONG);
  await views.reports(`${long} there`);
  expect(views.failed).toEqual([long]);
  const next = await form('A short text about weirs.');
  await views.reports(await head());
  expect(await find('weirs')).toEqual([next]);
  await views.stop();
});
