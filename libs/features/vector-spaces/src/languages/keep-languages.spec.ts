import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { decideEmbedded, type Live } from '#features/documents';
import { LANGUAGE_SPACES } from '#features/vector-spaces/model';
import { ok, systemClock, systemScope } from '#platform/kernel';
import { createCommandHandler, createFoldCache, systemCause } from '#ports/event-store';
import { eventually } from '../../../../../test/support/mneme.ts';
import {
  ORGANIZATION,
  openPipeline,
  type Pipeline,
  READY,
  TestEmbedder,
} from '../../../../../test/support/pipeline.ts';
import { GroupEmbedder } from '../group-embedder.ts';
import { LANGUAGES_GROUP } from '../groups.ts';
import { SpaceEmbedders } from '../space-embedders.ts';
import { VectorSpaces } from '../vector-spaces.ts';
import { AskedContainers } from './asked-containers.ts';
import { keepLanguages } from './keep-languages.ts';

/** Documents in the space of other languages, with a deterministic model. */

const [SPACE] = LANGUAGE_SPACES;
const ENGLISH_SPACE = 'test.1.384';
const GERMAN = 'Die Katze schläft seit gestern auf dem Dach der alten Scheune.';
const OTHER_GERMAN = 'Der Hund wartet jeden Morgen am Tor auf den Briefträger.';
const OTHER_ENGLISH = 'The dog waits at the gate for the mail every morning, and it barks at the van.';
const ENGLISH = 'The cat has been sleeping on the roof of the old barn since yesterday.';

let pipeline: Pipeline;
let languages: GroupEmbedder;
let multilingual: TestEmbedder;
let spaces: VectorSpaces;
let asked: AskedContainers;
const said: string[] = [];
const logger = { info: (message: string) => said.push(message), warn: (message: string) => said.push(message) };
beforeEach(async () => {
  said.length = 0;
  multilingual = new TestEmbedder();
  multilingual.become({ state: 'ready', space: { name: SPACE, dimensions: 384 } });
  languages = new GroupEmbedder(LANGUAGES_GROUP, () => multilingual, SPACE);
  await open();
  await spaces.adopt(LANGUAGES_GROUP);
});
afterEach(() => pipeline.close());

async function open(folder?: string): Promise<void> {
  const embedder = new TestEmbedder();
  embedder.become(READY);
  pipeline = await openPipeline({ embedder, languages, ...(folder !== undefined && { folder }) });
  const { store } = pipeline;
  const handler = createCommandHandler({ store, clock: systemClock, cache: createFoldCache({ characters: 10_000 }) });
  spaces = new VectorSpaces(handler);
  asked = new AskedContainers(handler);
}

async function replace(id: string, text: string): Promise<void> {
  const content = await pipeline.texts.storeContent(ORGANIZATION, id, text);
  await pipeline.documents.change(systemScope(ORGANIZATION), id, systemCause(), () =>
    ok([{ type: 'ContentReplaced', contentVersion: 2, payload: { content } }]),
  );
}

const load = async (id: string) => (await pipeline.documents.load(systemScope(ORGANIZATION), id)) as Live;
const spaceOf = async (id: string) => (await load(id)).vectorSpace;

async function addDone(text: string, tag: string): Promise<string> {
  const id = await pipeline.add(text, tag);
  await pipeline.event(id, 'DocumentIndexed');
  return id;
}

/** Adds a document, and records that its vectors are in the space of English, as without the model for other languages. */
async function addAsEnglish(text: string, tag = 'tag'): Promise<string> {
  const id = await addDone(text, tag);
  const { contentVersion } = await load(id);
  await pipeline.documents.change(systemScope(ORGANIZATION), id, systemCause(), (state) =>
    decideEmbedded(state, contentVersion, ENGLISH_SPACE, { renewed: true, sizes: { units: 1 } }),
  );
  await eventually(async () => {
    const [row] = await pipeline.reader.documents(systemScope(ORGANIZATION), [id]);
    return row?.vectorSpaces.includes(SPACE) ? null : true;
  });
  return id;
}

/** Keeps the languages until the condition holds, or the signal aborts. */
async function keepUntil(isDone: () => Promise<boolean>, stopping = new AbortController()): Promise<void> {
  const { documents, texts, vectors, reader, progress, store } = pipeline;
  const sources = { documents, texts, vectors, store, spaces, views: { reader, progress } };
  const embedders = new SpaceEmbedders([languages]);
  const keeping = keepLanguages(sources, embedders, { logger, signal: stopping.signal, lookEveryMs: 10 });
  await eventually(async () => (stopping.signal.aborted || (await isDone()) ? true : null));
  stopping.abort();
  await keeping;
}

const rowOf = async (id: string) => (await pipeline.reader.documents(systemScope(ORGANIZATION), [id]))[0];
const hasSecond = async (id: string) => (await rowOf(id))?.vectorSpaces.join() === `${ENGLISH_SPACE},${SPACE}`;

test('documents in other languages move to the space of these, and the views follow them', async () => {
  const [german, english] = [await addAsEnglish(GERMAN, 'a'), await addAsEnglish(ENGLISH, 'b')];
  await keepUntil(async () => (await rowOf(german))?.vectorSpaces.join() === SPACE);
  expect([await spaceOf(german), await spaceOf(english)]).toEqual([SPACE, ENGLISH_SPACE]);
});

test('a pass that was cut off is finished by the next one', async () => {
  const ids = [await addAsEnglish(GERMAN), await addAsEnglish(OTHER_GERMAN)];
  const stopping = new AbortController();
  const change = jest.spyOn(pipeline.documents, 'change').mockImplementation((...call) => {
    stopping.abort();
    change.mockRestore();
    return pipeline.documents.change(...call);
  });
  await keepUntil(async () => false, stopping);
  expect(await Promise.all(ids.map(spaceOf))).toEqual([SPACE, ENGLISH_SPACE]);
  await keepUntil(async () => (await Promise.all(ids.map(spaceOf))).every((space) => space === SPACE));
});

test('without the model they stay where they are', async () => {
  const german = await addAsEnglish(GERMAN);
  multilingual.become({ state: 'off' });
  await keepUntil(async () => true);
  expect(await spaceOf(german)).toBe(ENGLISH_SPACE);
});

describe('a document in English', () => {
  test('has second vectors where its container holds another language, and nowhere else', async () => {
    const [beside, alone] = [await addDone(ENGLISH, 'mixed'), await addDone(OTHER_ENGLISH, 'english')];
    await addDone(GERMAN, 'mixed');
    await keepUntil(() => hasSecond(beside));
    expect((await load(beside)).secondSpace).toBe(SPACE);
    expect((await load(alone)).secondSpace).toBeNull();
  });

  test('has them where its container becomes mixed later, and so has one that is added later', async () => {
    const first = await addDone(ENGLISH, 'mixed');
    let later: string | null = null;
    await keepUntil(async () => {
      if (later !== null) return (await hasSecond(first)) && (await hasSecond(later));
      await addDone(GERMAN, 'mixed');
      later = await addDone(OTHER_ENGLISH, 'mixed');
      return false;
    });
  });

  test('has them where its container was asked in another language, before the start or later', async () => {
    const [before, later, never] = [
      await addDone(ENGLISH, 'before'),
      await addDone(ENGLISH, 'later'),
      await addDone(ENGLISH, 'never'),
    ];
    const ask = (tag: string) => asked.record({ organization: ORGANIZATION, tags: [tag] });
    await ask('before');
    await ask('before');
    await keepUntil(async () => {
      if (!(await hasSecond(before))) return false;
      asked.report({ organization: ORGANIZATION, tags: ['later'] });
      return hasSecond(later);
    });
    expect((await load(never)).secondSpace).toBeNull();
  });

  test('loses them with its text, and gets those of the new one', async () => {
    const id = await addDone(ENGLISH, 'mixed');
    await addDone(GERMAN, 'mixed');
    await keepUntil(() => hasSecond(id));
    await replace(id, OTHER_ENGLISH);
    await pipeline.event(id, 'DocumentIndexed', 2);
    expect((await load(id)).secondSpace).toBeNull();
    await keepUntil(() => hasSecond(id));
  });

  test('has its second vectors again after a replay, without the model', async () => {
    const id = await addDone(ENGLISH, 'mixed');
    await addDone(GERMAN, 'mixed');
    await keepUntil(() => hasSecond(id));
    const before = await rowOf(id);
    const made = multilingual.windows;
    const { folder } = pipeline;
    await pipeline.close({ keep: true });
    await rm(join(folder, 'views.db'));
    await open(folder);
    await pipeline.progress.reached(await pipeline.store.head(), 30_000);
    expect(await rowOf(id)).toEqual(before);
    expect(multilingual.windows).toBe(made);
  });
});
