import { type DocumentEvent, documentStream, formerVectorsOf, type Live, unitsOf } from '#features/documents';
import { embeddedTexts } from '#features/vector-spaces/model';
import { MnemeError, ok, systemScope } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import { miniLmL6 } from '#ports/models';
import { ORGANIZATION, openPipeline, type Pipeline, READY, TestEmbedder } from '../../../../test/support/pipeline.ts';
import { until } from '../../../platform/kernel/src/testing/eventually.ts';
import { GroupEmbedder } from './group-embedder.ts';
import { DEFAULT_GROUP } from './groups.ts';
import { SpaceEmbedders } from './space-embedders.ts';
import { keepSwept, OutdatedSweep } from './sweep-outdated.ts';

/** Vectors that a killed process has left of replaced texts, with a deterministic model. */

const SCOPE = systemScope(ORGANIZATION);
const SPACE = READY.state === 'ready' ? READY.space.name : '';

let embedder: TestEmbedder;
let pipeline: Pipeline;
let stop: AbortController;
let sweeping: Promise<void>;
beforeEach(async () => {
  embedder = new TestEmbedder();
  embedder.become(READY);
  pipeline = await openPipeline({ embedder });
  stop = new AbortController();
  sweeping = Promise.resolve();
});
afterEach(async () => {
  stop.abort();
  await sweeping;
  await pipeline.close();
});

async function addDone(text: string): Promise<string> {
  const id = await pipeline.add(text);
  await pipeline.event(id, 'DocumentIndexed');
  return id;
}

async function change(id: string, text: string): Promise<void> {
  const replaced: DocumentEvent = {
    ...{ type: 'ContentReplaced', contentVersion: 2 },
    payload: { content: { text: { inline: text } } },
  };
  await pipeline.documents.change(SCOPE, id, systemCause(), () => ok([replaced]));
}

async function replace(id: string, text: string): Promise<void> {
  await change(id, text);
  await pipeline.event(id, 'DocumentIndexed', 2);
}

/** Keys of the vectors of a document in a space. */
async function keysOf(id: string, space = SPACE): Promise<readonly string[]> {
  const document = (await pipeline.documents.load(SCOPE, id)) as Live;
  return [...embeddedTexts(space, document, await unitsOf(document, pipeline.texts)).passages.keys()];
}

const put = (id: string, keys: readonly string[]) =>
  pipeline.vectors.put(
    documentStream(ORGANIZATION, id),
    keys.map((key) => ({ key, vector: Uint8Array.of(1) })),
  );
const stored = async (keys: readonly string[]) =>
  (await pipeline.vectors.get(keys)).filter((vector) => vector !== null).length;

/** A document leaves the vectors of replaced passages to its former units; without these, those that it uses itself are left. */
async function withoutFormers(...ids: readonly string[]): Promise<void> {
  for (const id of ids) await pipeline.vectors.release(formerVectorsOf(documentStream(ORGANIZATION, id)));
}

function options() {
  const embedders = new SpaceEmbedders([new GroupEmbedder(DEFAULT_GROUP, () => embedder, SPACE)]);
  const { store, documents, texts, vectors } = pipeline;
  const logger = { warn: (message: string) => expect(message).toBe('') };
  return { store, documents, texts, vectors, embedders, logger, signal: stop.signal };
}

test('vectors of a replaced text that a killed stage has left go after the next start, and no others', async () => {
  const [edited, other] = [await addDone('The kettle is in the blue cupboard.'), await addDone('A text of its own.')];
  const [before, untouched] = [await keysOf(edited), await keysOf(other)];
  await replace(edited, 'The kettle is on the table now.');
  const present = await keysOf(edited);
  expect(await stored(before)).toBe(before.length);
  await withoutFormers(edited);
  expect(await stored(before)).toBe(0);

  // What the late embed stage of the first version stores after the second one has removed its vectors.
  await put(edited, before);
  expect(await stored(before)).toBe(before.length);
  sweeping = keepSwept(options());
  await until(
    () => stored(before),
    (count) => count === 0,
  );
  expect(await stored(present)).toBe(present.length);
  expect(await stored(untouched)).toBe(untouched.length);
});

test('vectors of the present text in the space of another model stay', async () => {
  const id = await addDone('The kettle is in the blue cupboard.');
  await replace(id, 'The kettle is on the table now.');
  const ofOther = await keysOf(id, miniLmL6.space.name);
  await put(id, ofOther);
  await new OutdatedSweep(options(), null).run();
  expect(await stored(ofOther)).toBe(ofOther.length);
});

test('of a document whose passages are to come nothing is removed', async () => {
  const id = await addDone('The kettle is in the blue cupboard.');
  const before = await keysOf(id);
  pipeline.bus.down = true;
  await change(id, 'The kettle is on the table now.');
  await new OutdatedSweep(options(), null).run();
  expect(await stored(before)).toBe(before.length);
  pipeline.bus.down = false;
  await pipeline.event(id, 'DocumentIndexed', 2);
  await withoutFormers(id);
  expect(await stored(before)).toBe(0);
});

test('before the present text has vectors, those of the text before it are left to what searches knew', async () => {
  const id = await addDone('The kettle is in the blue cupboard.');
  const before = await keysOf(id);
  embedder.become({ state: 'unavailable', reason: 'test' });
  await replace(id, 'The kettle is on the table now.');
  await new OutdatedSweep(options(), null).run();
  expect(await stored(before)).toBe(before.length);
  await withoutFormers(id);
  expect(await stored(before)).toBe(0);
});

test.each<[string, Partial<Live>]>([
  ['is processed again', { stage: 'queued', chunks: null, memories: null } as Partial<Live>],
  ['has other passages', { chunks: { inline: [] } } as Partial<Live>],
])('nothing is removed of a document that meanwhile %s', async (_, changes) => {
  const id = await addDone('The kettle is in the blue cupboard.');
  const before = await keysOf(id);
  await replace(id, 'The kettle is on the table now.');
  await withoutFormers(id);
  await put(id, before);
  const { documents } = pipeline;
  let loads = 0;
  const changing = {
    load: async (...args: Parameters<typeof documents.load>) => {
      const document = await documents.load(...args);
      loads += 1;
      return loads === 1 ? document : { ...document, ...changes };
    },
  } as unknown as typeof documents;
  await new OutdatedSweep({ ...options(), documents: changing }, null).run();
  expect(loads).toBe(2);
  expect(await stored(before)).toBe(before.length);
  await new OutdatedSweep(options(), null).run();
  expect(await stored(before)).toBe(0);
});

test('a sweep ends when it is stopped', async () => {
  const id = await addDone('The kettle is in the blue cupboard.');
  const before = await keysOf(id);
  await replace(id, 'The kettle is on the table now.');
  await withoutFormers(id);
  await put(id, before);
  stop.abort();
  await keepSwept(options());
  await new OutdatedSweep(options(), null).run();
  expect(await stored(before)).toBe(before.length);
});

/** The documents as they are, except that the second one that is loaded fails once. */
function secondFailsOnce() {
  const loads: string[] = [];
  let hasFailed = false;
  const load: typeof pipeline.documents.load = async (scope, id) => {
    loads.push(id);
    if (!hasFailed && new Set(loads).size === 2) {
      hasFailed = true;
      throw new Away('away');
    }
    return pipeline.documents.load(scope, id);
  };
  return { loads, documents: { load } as unknown as typeof pipeline.documents };
}

class Away extends MnemeError {
  override readonly code = 'away';
  override readonly kind = 'transient';
}

test('after an interruption a sweep goes on where it was, and looks again at the document that failed', async () => {
  const ids = await Promise.all(['kettle', 'ladder', 'lantern'].map((word) => addDone(`The ${word} is blue.`)));
  const before = await Promise.all(ids.map((id) => keysOf(id)));
  for (const [i, id] of ids.entries()) {
    await replace(id, `Nothing is in box ${i}.`);
    await withoutFormers(id);
    await put(id, before[i] as readonly string[]);
  }
  const { loads, documents } = secondFailsOnce();
  let reads = 0;
  const store = {
    head: () => pipeline.store.head(),
    readAll: (read: Parameters<typeof pipeline.store.readAll>[0]) => {
      reads += 1;
      return pipeline.store.readAll(read);
    },
  };
  const sweep = new OutdatedSweep({ ...options(), store, documents }, null);
  await expect(sweep.run()).rejects.toThrow('away');
  const readsBefore = reads;
  expect(await sweep.run()).toEqual([]);
  expect(reads).toBe(readsBefore);
  expect(await stored(before.flat())).toBe(0);
  const [first = '', failed = ''] = [...new Set(loads)];
  // The first was done when the second failed, which comes after the others.
  expect(loads.lastIndexOf(first)).toBeLessThan(loads.indexOf(failed));
  expect(loads.at(-1)).toBe(failed);
});

test('a document that cannot be looked at is left to the next sweep', async () => {
  const id = await addDone('The kettle is in the blue cupboard.');
  const before = await keysOf(id);
  await replace(id, 'The kettle is on the table now.');
  await withoutFormers(id);
  await put(id, before);
  const away = async () => {
    throw new Away('away');
  };
  const documents = { load: away } as unknown as typeof pipeline.documents;
  const sweep = new OutdatedSweep({ ...options(), documents }, null);
  await expect(sweep.run()).rejects.toThrow('away');
  const left = await sweep.run();
  expect(left).toEqual([documentStream(ORGANIZATION, id)]);
  await new OutdatedSweep(options(), await pipeline.store.head(), left).run();
  expect(await stored(before)).toBe(0);
});
