import { jest } from '@jest/globals';
import { decideEmbedded, type Live } from '#documents';
import { systemCause } from '#event-store';
import { systemScope } from '#kernel';
import { LANGUAGE_SPACES } from '#vector-spaces/model';
import { eventually } from '../../../../test/support/mneme.ts';
import { ORGANIZATION, openPipeline, type Pipeline, READY, TestEmbedder } from '../../../../test/support/pipeline.ts';
import { GroupEmbedder } from '../group-embedder.ts';
import { LANGUAGES_GROUP } from '../groups.ts';
import { SpaceEmbedders } from '../space-embedders.ts';
import { keepLanguages } from './keep-languages.ts';

/** Documents that an earlier version embedded, with a deterministic model. */

const [SPACE] = LANGUAGE_SPACES;
const ENGLISH_SPACE = 'test.1.384';
const GERMAN = 'Die Katze schläft seit gestern auf dem Dach der alten Scheune.';
const OTHER_GERMAN = 'Der Hund wartet jeden Morgen am Tor auf den Briefträger.';
const ENGLISH = 'The cat has been sleeping on the roof of the old barn since yesterday.';

let pipeline: Pipeline;
let languages: GroupEmbedder;
let multilingual: TestEmbedder;
const said: string[] = [];
const logger = { info: (message: string) => said.push(message), warn: (message: string) => said.push(message) };
beforeEach(async () => {
  said.length = 0;
  const embedder = new TestEmbedder();
  embedder.become(READY);
  multilingual = new TestEmbedder();
  multilingual.become({ state: 'ready', space: { name: SPACE, dimensions: 384 } });
  languages = new GroupEmbedder(LANGUAGES_GROUP, () => multilingual, SPACE);
  pipeline = await openPipeline({ embedder, languages });
});
afterEach(() => pipeline.close());

const load = async (id: string) => (await pipeline.documents.load(systemScope(ORGANIZATION), id)) as Live;
const spaceOf = async (id: string) => (await load(id)).vectorSpace;

/** Adds a document, and records that its vectors are in the space of English, as earlier versions did. */
async function addAsBefore(text: string): Promise<string> {
  const id = await pipeline.add(text);
  await pipeline.event(id, 'DocumentIndexed');
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

const keep = (signal = new AbortController().signal) => {
  const { documents, texts, vectors, reader } = pipeline;
  const embedders = new SpaceEmbedders([languages]);
  return keepLanguages({ documents, texts, vectors, views: { reader } }, embedders, { logger, signal });
};

test('documents in other languages move to the space of these, and the views follow them', async () => {
  const [german, english] = [await addAsBefore(GERMAN), await addAsBefore(ENGLISH)];
  await keep();
  expect([await spaceOf(german), await spaceOf(english)]).toEqual([SPACE, ENGLISH_SPACE]);
  await eventually(async () => {
    const [row] = await pipeline.reader.documents(systemScope(ORGANIZATION), [german]);
    return row?.vectorSpaces.includes(SPACE) ? true : null;
  });
  expect(said).toEqual(['1 documents in other languages have vectors of the multilingual model']);
});

test('a pass that was cut off is finished by the next one', async () => {
  const ids = [await addAsBefore(GERMAN), await addAsBefore(OTHER_GERMAN)];
  const stopping = new AbortController();
  const change = jest.spyOn(pipeline.documents, 'change').mockImplementation((...call) => {
    stopping.abort();
    change.mockRestore();
    return pipeline.documents.change(...call);
  });
  await keep(stopping.signal);
  expect(await Promise.all(ids.map(spaceOf))).toEqual([SPACE, ENGLISH_SPACE]);
  await keep();
  expect(await Promise.all(ids.map(spaceOf))).toEqual([SPACE, SPACE]);
});

test('without the model they stay where they are', async () => {
  const german = await addAsBefore(GERMAN);
  multilingual.become({ state: 'off' });
  await keep();
  expect(await spaceOf(german)).toBe(ENGLISH_SPACE);
});
