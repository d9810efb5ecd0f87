import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ok, systemClock, systemScope } from '#platform/kernel';
import { createCommandHandler, createFoldCache, SqliteEventStore, systemCause } from '#ports/event-store';
import { type ExtractedDocument, identitiesOf, unitIdsWith } from '#processing/extraction';
import type { DocumentEvent } from '../events.ts';
import { DocumentRepository } from '../repository.ts';
import type { Live } from '../state.ts';
import { addedEvent } from '../testing.ts';
import { identifyPassages } from './unit-ids.ts';

const SCOPE = systemScope('org');

let folder: string;
let store: SqliteEventStore;
let documents: DocumentRepository;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-unit-ids-'));
  store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
  reopen();
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

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

const extracted = async (id: string) =>
  append(id, {
    type: 'ContentExtracted',
    contentVersion: (await load(id)).contentVersion,
    stage: 'extracting',
    payload: { text: null, title: null, type: 'text' },
  });

const assign = async (id: string, text: string) => identifyPassages(await load(id), text, linesOf(text));

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
      payload: { chunks: { inline: chunks }, unitKey },
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
      [...identitiesOf(kind, ['one', 'two', 'one'])].map(unitIdsWith(unitKey));
    expect(chunks).toEqual(idsBy('chunk').map((unit, i) => [unit, i * 4, i * 4 + 3]));
    expect(memories).toEqual(idsBy('memory').map((unit, i) => [unit, i * 4, i * 4 + 3, null]));
    expect(new Set([...chunks, ...memories].map(([unit]) => unit)).size).toBe(6);
  });

  test('keeps its key over changes of its content and restarts', async () => {
    const id = await add('one\ntwo');
    await extracted(id);
    const first = await form(id, 'one\ntwo');
    reopen();
    await replace(id, 'two');
    await extracted(id);
    const second = await form(id, 'two');
    await replace(id, 'zero\none\ntwo');
    await extracted(id);
    const third = await form(id, 'zero\none\ntwo');
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
