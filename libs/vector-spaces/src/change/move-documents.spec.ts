import type { Live } from '#documents';
import { createCommandHandler, createFoldCache, systemCause } from '#event-store';
import { MnemeError, ok, systemClock, systemScope } from '#kernel';
import { EmbeddingInterruptedError, miniLmL6 } from '#models';
import { embeddedTexts } from '#vector-spaces/model';
import type { ViewsReader } from '#views';
import { ORGANIZATION, openPipeline, type Pipeline, TestEmbedder } from '../../../../test/support/pipeline.ts';
import { article, openSite, page } from '../../../../test/support/site.ts';
import { until } from '../../../kernel/src/testing/eventually.ts';
import { backfillDocument } from '../backfill-document.ts';
import { storedUnits } from '../document-vectors.ts';
import { GroupEmbedder } from '../group-embedder.ts';
import { DEFAULT_GROUP } from '../groups.ts';
import { VectorSpaces } from '../vector-spaces.ts';
import type { RebuildableViews } from './change-sources.ts';
import { moveToPresentSpace } from './move-to-present-space.ts';
import { SpaceChange } from './space-change.ts';

/** The vectors of documents that are moved to the present space, with a deterministic model. */

const { initialSpace: FORMER, presentSpace: PRESENT } = DEFAULT_GROUP;
const OTHER = miniLmL6.space.name;
const SCOPE = systemScope(ORGANIZATION);

const modelOf = (space: string) => {
  const model = new TestEmbedder();
  model.become({ state: 'ready', space: { name: space, dimensions: 384 } });
  return model;
};

let group: GroupEmbedder;
let pipeline: Pipeline;
let spaces: VectorSpaces;
/** The space of the serving views. */
let searched: string;
/** Called when the space of the serving views is asked for. */
let looking: () => void;
/** Called when the new views serve. */
let switched: () => void;
/** Holds back the index stage. */
let held: Promise<void>;
let said: string[];
beforeEach(async () => {
  searched = FORMER;
  looking = () => {};
  switched = () => {};
  held = Promise.resolve();
  said = [];
  group = new GroupEmbedder(DEFAULT_GROUP, modelOf, FORMER);
  const intercept = async (work: string, _message: unknown, run: () => Promise<void>) => {
    if (work === 'index') await held;
    await run();
  };
  pipeline = await openPipeline({ group, intercept });
  const { store } = pipeline;
  spaces = new VectorSpaces(
    createCommandHandler({ store, clock: systemClock, cache: createFoldCache({ characters: 10_000 }) }),
  );
});
afterEach(() => pipeline.close());

const views: RebuildableViews = {
  reader: {
    vectorSpace: async () => {
      looking();
      return searched;
    },
    withoutVectors: async () => [],
  } as unknown as ViewsReader,
  rebuild: async ({ space, inspect }) => {
    if (!(await inspect({ rebuilt: views.reader, level: async () => {} }))) return false;
    searched = space;
    group.serve(space);
    switched();
    return true;
  },
};

function sources(documents = pipeline.documents) {
  const { store, texts, vectors } = pipeline;
  return { store, documents, texts, vectors, spaces, views };
}

const logger = { info: (message: string) => said.push(message), warn: (message: string) => said.push(message) };

async function move(documents = pipeline.documents, stopping = new AbortController()): Promise<void> {
  group.prepare(PRESENT);
  const { choices: choicesAtStart } = await spaces.load(DEFAULT_GROUP);
  await moveToPresentSpace(sources(documents), group, { logger, signal: stopping.signal, choicesAtStart });
}

const change = ({ documents = pipeline.documents, embedder = modelOf(PRESENT) } = {}) =>
  new SpaceChange(sources(documents), {
    ...{ group: DEFAULT_GROUP, space: PRESENT, searched: FORMER, replaces: null, embedder, pauses: [0, 0] },
    ...{ signal: new AbortController().signal, onProgress: () => {} },
    onSkipped: () => said.push('skipped'),
  });

async function addDone(text: string): Promise<string> {
  const id = await pipeline.add(text);
  await pipeline.event(id, 'DocumentIndexed');
  return id;
}

/** Spaces in which all vectors of a document are there. */
async function spacesOf(id: string): Promise<readonly string[]> {
  const document = (await pipeline.documents.load(SCOPE, id)) as Live;
  const units = (await storedUnits(pipeline, document)) ?? [];
  const found: string[] = [];
  for (const space of [FORMER, PRESENT, OTHER]) {
    const vectors = await pipeline.vectors.get([...embeddedTexts(space, document, units).passages.keys()]);
    if (vectors.length > 0 && vectors.every((vector) => vector !== null)) found.push(space);
  }
  return found;
}

class Failing extends MnemeError {
  override readonly code = 'failing';
  override readonly kind: 'permanent' | 'transient';

  constructor(kind: 'permanent' | 'transient') {
    super('The document cannot be read');
    this.kind = kind;
  }
}

/** The documents, of which one fails whenever it is loaded, or as often as given. */
function failing(id: string, kind: 'permanent' | 'transient', times = Number.POSITIVE_INFINITY) {
  const orFail =
    <T>(load: (scope: typeof SCOPE, of: string) => Promise<T>) =>
    async (scope: typeof SCOPE, of: string) => {
      if (of !== id || times <= 0) return load(scope, of);
      times -= 1;
      throw new Failing(kind);
    };
  return Object.assign(Object.create(pipeline.documents), {
    load: orFail((scope, of) => pipeline.documents.load(scope, of)),
    peek: orFail((scope, of) => pipeline.documents.peek(scope, of)),
  }) as typeof pipeline.documents;
}

test('vectors of the former space are removed, those of another model stay', async () => {
  const id = await addDone('The kettle is in the blue cupboard.');
  const { documents, texts, vectors } = pipeline;
  const space = { name: OTHER, embedder: modelOf(OTHER) };
  await backfillDocument({ documents, texts, vectors, space, kept: [FORMER, OTHER] }, ORGANIZATION, id);
  expect(await spacesOf(id)).toEqual([FORMER, OTHER]);
  await move();
  expect(await spacesOf(id)).toEqual([PRESENT, OTHER]);
});

test('a removal that was cut off at its start is finished by the next call', async () => {
  const id = await addDone('The kettle is in the blue cupboard.');
  const killed = new AbortController();
  switched = () => killed.abort();
  await move(pipeline.documents, killed);
  expect(await spaces.load(DEFAULT_GROUP)).toMatchObject({ serving: PRESENT, outgoing: [FORMER] });
  expect(await spacesOf(id)).toEqual([FORMER, PRESENT]);
  await move();
  expect(await spacesOf(id)).toEqual([PRESENT]);
  expect(await spaces.load(DEFAULT_GROUP)).toMatchObject({ serving: PRESENT, outgoing: [] });

  // Nothing is left to do, and no document is looked at.
  said = [];
  await move(failing(id, 'transient'));
  expect(said).toEqual([]);
});

test('nothing is removed before the views of the new space serve', async () => {
  const id = await addDone('The kettle is in the blue cupboard.');
  await spaces.begin(DEFAULT_GROUP, PRESENT);
  await spaces.select(DEFAULT_GROUP, PRESENT, FORMER);
  const stopping = new AbortController();
  const looked = new Promise<void>((resolve) => {
    let looks = 0;
    looking = () => {
      looks += 1;
      if (looks === 2) resolve();
    };
  });
  const moving = move(pipeline.documents, stopping);
  await Promise.race([looked, moving]);
  expect(await spacesOf(id)).toEqual([FORMER]);
  stopping.abort();
  await moving;
  expect(await spacesOf(id)).toEqual([FORMER]);
  searched = PRESENT;
  group.serve(PRESENT);
  await move();
  expect(await spacesOf(id)).not.toContain(FORMER);
});

test('a space that an operator builds again keeps its vectors', async () => {
  const id = await addDone('The kettle is in the blue cupboard.');
  const killed = new AbortController();
  switched = () => killed.abort();
  await move(pipeline.documents, killed);
  await spaces.begin(DEFAULT_GROUP, FORMER);
  await move();
  expect(await spacesOf(id)).toEqual([FORMER, PRESENT]);
});

test('of a document that is being processed the former vectors go when it is done', async () => {
  let go = () => {};
  held = new Promise((resolve) => {
    go = resolve;
  });
  const id = await pipeline.add('The kettle is in the blue cupboard.');
  await pipeline.event(id, 'UnitsEmbedded');
  group.prepare(PRESENT);
  let isMoved = false;
  switched = () => {
    isMoved = true;
  };
  const moving = move();
  await until(() => isMoved);
  go();
  await moving;
  expect(await spacesOf(id)).not.toContain(FORMER);
});

test('a page that is gone when it is fetched again does not hold up the removal', async () => {
  const site = await openSite({ '/kettle': page(article('The kettle is in the blue cupboard.')) });
  const id = await addDone(site.url('/kettle'));
  const other = await addDone('The ladder is in the shed.');
  delete site.pages['/kettle'];
  await pipeline.documents.change(SCOPE, id, systemCause(), () =>
    ok([{ type: 'ContentReplaced', contentVersion: 2, payload: { content: { page: site.url('/kettle') } } }]),
  );
  await pipeline.event(id, 'ProcessingFailed');
  site.close();
  await move();
  expect(await spacesOf(other)).toEqual([PRESENT]);
  expect(await spaces.load(DEFAULT_GROUP)).toMatchObject({ serving: PRESENT, outgoing: [] });
});

test('a document that cannot be read is named, and the others are moved', async () => {
  const [lost, other] = [await addDone('The ladder is lost.'), await addDone('The kettle is in the cupboard.')];
  await move(failing(lost, 'permanent'));
  expect(await spacesOf(other)).toEqual([PRESENT]);
  expect(await spacesOf(lost)).toContain(FORMER);
  expect(said).toEqual([
    expect.stringContaining(`embedded in the vector space ${PRESENT}`),
    `Document ${lost} of organization ${ORGANIZATION} is not embedded in ${PRESENT}: Error: The document cannot be read`,
    expect.stringMatching(/could not be embedded: 1$/),
    expect.stringContaining(`Document ${lost} of organization ${ORGANIZATION} keeps its vectors of ${FORMER}`),
    expect.stringContaining('are removed'),
  ]);
});

test('while the model fails for all documents, the former space goes on serving', async () => {
  const ids = await Promise.all(Array.from({ length: 40 }, (_, place) => addDone(`Box ${place} is in the attic.`)));
  const model = modelOf(PRESENT);
  const fail = () => Promise.reject(new EmbeddingInterruptedError('no memory is left'));
  Object.assign(model, { embedPassages: fail, embedWindows: fail });
  await spaces.begin(DEFAULT_GROUP, PRESENT);
  await expect(change({ embedder: model }).run()).rejects.toThrow('no memory is left');
  expect(await spaces.load(DEFAULT_GROUP)).toMatchObject({ serving: FORMER, coming: PRESENT });
  await change().run();
  expect(said).toEqual([]);
  for (const id of ids) expect(await spacesOf(id)).toEqual([FORMER, PRESENT]);
});

test('a transient fault of one document ends a pass, and the next one embeds it too', async () => {
  const ids = [await addDone('The ladder is lost.'), await addDone('The kettle is in the cupboard.')];
  const documents = failing(ids[0] as string, 'transient', 1);
  await spaces.begin(DEFAULT_GROUP, PRESENT);
  await expect(change({ documents }).run()).rejects.toThrow('The document cannot be read');
  expect(await spaces.load(DEFAULT_GROUP)).toMatchObject({ serving: FORMER, coming: PRESENT });
  await change().run();
  expect(said).toEqual([]);
  for (const id of ids) expect(await spacesOf(id)).toEqual([FORMER, PRESENT]);
});
