import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { DiskBlobStore } from '#blobs';
import { createCommandHandler, createFoldCache, SqliteEventStore, systemCause } from '#event-store';
import { type ExtractedDocument, identitiesOf, unitIdsWith } from '#extraction';
import { ok, systemClock, systemScope } from '#kernel';
import type { DocumentEvent } from '../events.ts';
import { DocumentRepository } from '../repository.ts';
import type { Live } from '../state.ts';
import { addedEvent } from '../testing.ts';
import { DocumentTexts } from '../texts.ts';
import { UnitIds } from './unit-ids.ts';

const SCOPE = systemScope('org');

let folder: string;
let store: SqliteEventStore;
let blobs: DiskBlobStore;
let texts: DocumentTexts;
let documents: DocumentRepository;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-unit-ids-'));
  store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
  blobs = await DiskBlobStore.open(join(folder, 'blobs'));
  texts = new DocumentTexts(blobs);
  reopen();
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});
afterEach(() => jest.restoreAllMocks());

/** Forgets every cached state, as a restart does. */
function reopen(): void {
  const cache = createFoldCache({ characters: 1_000_000 });
  documents = new DocumentRepository(createCommandHandler({ store, clock: systemClock, cache }));
}

/** Each line is one chunk and one memory. */
function linesOf(text: string): Pick<ExtractedDocument, 'chunks' | 'memories'> {
  const chunks = [...text.matchAll(/[^\n]+/g)].map(({ index, 0: line }) => ({
    start: index,
    end: index + line.length,
  }));
  return { chunks, memories: chunks.map((passage) => ({ ...passage, speaker: null })) };
}

async function add(text: string): Promise<string> {
  const id = `doc${++count}`;
  const event = addedEvent(text);
  await documents.create(SCOPE, id, systemCause(), [{ ...event, payload: { ...event.payload, id } }], ['t']);
  return id;
}

async function append(id: string, ...events: readonly DocumentEvent[]): Promise<void> {
  await documents.change(SCOPE, id, systemCause(), () => ok(events));
}

async function replace(id: string, text: string): Promise<void> {
  const { contentVersion } = await load(id);
  const payload = { content: { text: { inline: text } } };
  await append(id, { type: 'ContentReplaced', contentVersion: contentVersion + 1, payload });
}

async function load(id: string): Promise<Live> {
  const state = await documents.load(SCOPE, id);
  if (state.status !== 'live') throw new Error(`${id} is ${state.status}`);
  return state;
}

const extracted = async (id: string, text: { readonly blob: string; readonly length: number } | null = null) =>
  append(id, {
    type: 'ContentExtracted',
    contentVersion: (await load(id)).contentVersion,
    stage: 'extracting',
    payload: { text, title: null, summary: null, type: 'text' },
  });

/** Records the units of the present content as a version without keys does, with ids that begin with `prefix`. */
async function formWithoutKey(id: string, prefix: string, text: string): Promise<void> {
  const { contentVersion } = await load(id);
  const { chunks } = linesOf(text);
  const inVersion = { contentVersion, stage: 'chunking' };
  await append(
    id,
    {
      ...inVersion,
      type: 'ContentChunked',
      payload: { chunks: { inline: chunks.map(({ start, end }, i) => [`${prefix}-c${i}`, start, end]) } },
    },
    {
      ...inVersion,
      type: 'MemoriesFormed',
      payload: { memories: { inline: chunks.map(({ start, end }, i) => [`${prefix}-m${i}`, start, end, null]) } },
    },
  );
}

const assign = async (id: string, text: string) =>
  new UnitIds(documents, texts).assign(await load(id), text, linesOf(text));

/** Assigns ids and records them. */
async function form(id: string, text: string): Promise<Awaited<ReturnType<typeof assign>>> {
  const { contentVersion } = await load(id);
  const assigned = await assign(id, text);
  const { chunks, memories, unitKey } = assigned;
  const inVersion = { contentVersion, stage: 'chunking' };
  await append(
    id,
    {
      ...inVersion,
      type: 'ContentChunked',
      payload: { chunks: { inline: chunks }, ...(unitKey !== null && { unitKey }) },
    },
    { ...inVersion, type: 'MemoriesFormed', payload: { memories: { inline: memories } } },
  );
  return assigned;
}

const idsOf = ({ chunks, memories }: Awaited<ReturnType<typeof assign>>): string[] =>
  [...chunks, ...memories].map(([id]) => id);

describe('a new document', () => {
  test('gets a key, from which every id follows', async () => {
    const text = 'one\ntwo\none';
    const id = await add(text);
    await extracted(id);
    const { chunks, memories, unitKey } = await assign(id, text);
    expect(unitKey).toMatch(/^[0-9a-f]{32}$/);
    const idsBy = (kind: 'chunk' | 'memory') =>
      [...identitiesOf(kind, ['one', 'two', 'one'])].map(unitIdsWith(unitKey as string));
    expect(chunks).toEqual(idsBy('chunk').map((unit, i) => [unit, i * 4, i * 4 + 3]));
    expect(memories).toEqual(idsBy('memory').map((unit, i) => [unit, i * 4, i * 4 + 3, null]));
    expect(new Set([...chunks, ...memories].map(([unit]) => unit)).size).toBe(6);
  });

  test('keeps its key over changes of its content and restarts, and its stream is not read for ids', async () => {
    const id = await add('one\ntwo');
    await extracted(id);
    const first = await form(id, 'one\ntwo');
    reopen();
    await replace(id, 'two');
    await extracted(id);
    const second = await form(id, 'two');
    await replace(id, 'zero\none\ntwo');
    await extracted(id);
    const read = jest.spyOn(documents, 'statesWithUnkeyedUnits');
    const third = await form(id, 'zero\none\ntwo');
    expect(read).not.toHaveBeenCalled();
    expect([second.unitKey, third.unitKey]).toEqual([first.unitKey, first.unitKey]);
    expect(second.chunks[0]?.[0]).toBe(first.chunks[1]?.[0]);
    expect(third.memories.slice(1).map(([unit]) => unit)).toEqual(first.memories.map(([unit]) => unit));
  });

  test('gets distinct ids for more passages than are computed in one turn of the event loop', async () => {
    const text = Array.from({ length: 300 }, (_, i) => `line ${i % 200}`).join('\n');
    const id = await add(text);
    await extracted(id);
    expect(new Set(idsOf(await assign(id, text))).size).toBe(600);
  });
});

describe('a document whose units were recorded without a key', () => {
  test('keeps all ids, and needs no key, when the same content is processed again', async () => {
    const text = 'one\ntwo\none';
    const id = await add(text);
    await extracted(id);
    await formWithoutKey(id, 'a', text);
    await append(id, { type: 'ProcessingRestarted', contentVersion: 1, payload: null });
    await extracted(id);
    const again = await form(id, text);
    expect(again.unitKey).toBeNull();
    expect(idsOf(again)).toEqual(['a-c0', 'a-c1', 'a-c2', 'a-m0', 'a-m1', 'a-m2']);
  });

  test('gives removed text that returns its former id, also after a restart; other passages get ids of a key', async () => {
    const id = await add('one\ntwo');
    await extracted(id);
    await formWithoutKey(id, 'a', 'one\ntwo');
    await replace(id, 'two\nthree');
    await extracted(id);
    const second = await form(id, 'two\nthree');
    expect(second.chunks.map(([unit]) => unit)).toEqual(['a-c1', expect.stringMatching(/^[A-Za-z0-9]{22}$/)]);
    reopen();
    await replace(id, 'three\none');
    await extracted(id);
    const third = await form(id, 'three\none');
    expect(third.unitKey).toBe(second.unitKey);
    expect(third.chunks.map(([unit]) => unit)).toEqual([second.chunks[1]?.[0], 'a-c0']);
    expect(third.memories.map(([unit]) => unit)).toEqual([second.memories[1]?.[0], 'a-m0']);
  });

  test('does not show its former states to a scope without its tags', async () => {
    const id = await add('one');
    await extracted(id);
    await formWithoutKey(id, 'a', 'one');
    const seenWith = (...tags: readonly string[]) => documents.statesWithUnkeyedUnits({ ...SCOPE, tags }, id);
    expect(await seenWith('t')).toHaveLength(1);
    expect(await seenWith('other')).toEqual([]);
  });

  test('keeps the latest of several ids of one passage', async () => {
    const id = await add('one\none');
    await extracted(id);
    await formWithoutKey(id, 'a', 'one\none');
    await replace(id, 'one');
    await extracted(id);
    await formWithoutKey(id, 'b', 'one');
    await replace(id, 'one\none');
    await extracted(id);
    expect(idsOf(await assign(id, 'one\none'))).toEqual(['b-c0', 'a-c1', 'b-m0', 'a-m1']);
  });

  test('keeps ids that a process of the earlier version recorded after the key', async () => {
    const id = await add('one');
    await extracted(id);
    const { unitKey } = await form(id, 'one');
    await replace(id, 'two');
    await extracted(id);
    await formWithoutKey(id, 'b', 'two');
    await replace(id, 'one\ntwo');
    await extracted(id);
    const assigned = await assign(id, 'one\ntwo');
    expect(assigned.unitKey).toBe(unitKey);
    expect(assigned.chunks.map(([unit]) => unit)).toEqual([
      unitIdsWith(unitKey as string)('["chunk","one",0]'),
      'b-c0',
    ]);
  });

  test('is processed although the text of an earlier version is lost', async () => {
    const id = await add('anything');
    const long = `${'x'.repeat(40_000)}\none`;
    const ref = await texts.store('org', id, long);
    if (!('blob' in ref)) throw new Error('the text is stored in the event');
    await extracted(id, ref);
    await formWithoutKey(id, 'a', long);
    await replace(id, 'one');
    await extracted(id);
    expect((await assign(id, 'one')).chunks[0]?.[0]).toBe('a-c1');
    await blobs.deletePrefix(`org/${id}/`);
    expect((await assign(id, 'one')).chunks[0]?.[0]).toMatch(/^[A-Za-z0-9]{22}$/);
  });
});
