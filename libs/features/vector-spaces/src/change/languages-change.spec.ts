import { decideEmbedded, decideSecondSpace, type Live } from '#features/documents';
import { LANGUAGE_SPACES } from '#features/vector-spaces/model';
import { systemClock, systemScope } from '#platform/kernel';
import { createCommandHandler, createFoldCache, systemCause } from '#ports/event-store';
import { EmbedderOff } from '#ports/models';
import type { ViewsReader } from '#read-side/views';
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
import { VectorSpaces } from '../vector-spaces.ts';
import type { RebuildableViews } from './change-sources.ts';
import { LanguagesChange } from './languages-change.ts';

/** Another space for documents in other languages, with a deterministic model. */

const [FORMER, NEXT] = LANGUAGE_SPACES as [string, string];
const GERMAN = 'Die Katze schläft seit gestern auf dem Dach der alten Scheune.';
const ENGLISH = 'The cat has been sleeping on the roof of the old barn since yesterday.';

const modelOf = (space: string) => {
  const model = new TestEmbedder();
  model.become({ state: 'ready', space: { name: space, dimensions: 384 } });
  return model;
};

let languages: GroupEmbedder;
let pipeline: Pipeline;
let spaces: VectorSpaces;
beforeEach(async () => {
  const embedder = new TestEmbedder();
  embedder.become(READY);
  languages = new GroupEmbedder(LANGUAGES_GROUP, modelOf, FORMER);
  pipeline = await openPipeline({ embedder, languages });
  const { store } = pipeline;
  const cache = createFoldCache({ characters: 10_000 });
  spaces = new VectorSpaces(createCommandHandler({ store, clock: systemClock, cache }));
  await spaces.adopt(LANGUAGES_GROUP);
});
afterEach(() => pipeline.close());

async function addDone(text: string): Promise<string> {
  const id = await pipeline.add(text);
  await pipeline.event(id, 'DocumentIndexed');
  return id;
}

const spaceOf = async (id: string) =>
  ((await pipeline.documents.load(systemScope(ORGANIZATION), id)) as Live).vectorSpace;

async function change(embedder: TestEmbedder | EmbedderOff = modelOf(NEXT)): Promise<LanguagesChange> {
  await spaces.begin(LANGUAGES_GROUP, NEXT);
  languages.prepare(NEXT);
  const { store, documents, texts, vectors } = pipeline;
  const views = { reader: {} as ViewsReader } as RebuildableViews;
  const changing = new LanguagesChange(
    { store, documents, texts, vectors, spaces, views },
    {
      ...{ group: LANGUAGES_GROUP, space: NEXT, embedder, pauses: [0, 0] },
      ...{ signal: new AbortController().signal, onProgress: () => {}, onSkipped: () => {} },
    },
  );
  await changing.run();
  return changing;
}

test('documents in other languages leave the former space, and the views follow them', async () => {
  const german = await addDone(GERMAN);
  const english = await addDone(ENGLISH);
  expect([await spaceOf(german), await spaceOf(english)]).toEqual([FORMER, 'test.1.384']);
  expect((await change()).vectors).toBeGreaterThan(0);
  expect([await spaceOf(german), await spaceOf(english)]).toEqual([NEXT, 'test.1.384']);
  expect(await spaces.load(LANGUAGES_GROUP)).toMatchObject({ serving: NEXT, coming: null });
  await eventually(async () => {
    const [row] = await pipeline.reader.documents(systemScope(ORGANIZATION), [german]);
    return row?.vectorSpaces.includes(NEXT) ? true : null;
  });
});

test('a document that was embedded like an English one moves too', async () => {
  const german = await addDone(GERMAN);
  const document = (await pipeline.documents.load(systemScope(ORGANIZATION), german)) as Live;
  const sizes = { units: 1 };
  await pipeline.documents.change(systemScope(ORGANIZATION), german, systemCause(), (state) =>
    decideEmbedded(state, document.contentVersion, 'test.1.384', { renewed: true, sizes }),
  );
  await change();
  expect(await spaceOf(german)).toBe(NEXT);
});

test('second vectors of English documents are made again in the new space', async () => {
  const english = await addDone(ENGLISH);
  await pipeline.documents.change(systemScope(ORGANIZATION), english, systemCause(), (state) =>
    decideSecondSpace(state, 1, FORMER, false),
  );
  expect((await change()).vectors).toBeGreaterThan(0);
  expect(await pipeline.documents.load(systemScope(ORGANIZATION), english)).toMatchObject({
    vectorSpace: 'test.1.384',
    secondSpace: NEXT,
  });
});

test('a document that is added during the change is embedded in the new space', async () => {
  languages.prepare(NEXT);
  expect(await spaceOf(await addDone(GERMAN))).toBe(NEXT);
});

test('a model that cannot be had leaves the former space as it is', async () => {
  const german = await addDone(GERMAN);
  const missing = new EmbedderOff({ state: 'unavailable', reason: 'no source' });
  await expect(change(missing)).rejects.toMatchObject({ code: 'space_not_changed' });
  expect(await spaceOf(german)).toBe(FORMER);
  expect(await spaces.load(LANGUAGES_GROUP)).toMatchObject({ serving: FORMER, coming: NEXT });
});
