import type { Live } from '#features/documents';
import { embeddedTexts } from '#features/vector-spaces/model';
import { MnemeError, ok, systemClock, systemScope } from '#platform/kernel';
import { createCommandHandler, createFoldCache, systemCause } from '#ports/event-store';
import { bgeSmallEn, EmbeddingInterruptedError, miniLmL6 } from '#ports/models';
import type { ViewsReader } from '#read-side/views';
import { ORGANIZATION, openPipeline, type Pipeline, TestEmbedder } from '../../../../../test/support/pipeline.ts';
import { article, openSite, page } from '../../../../../test/support/site.ts';
import { backfillDocument } from '../backfill-document.ts';
import { storedUnits } from '../document-vectors.ts';
import { GroupEmbedder } from '../group-embedder.ts';
import { DEFAULT_GROUP } from '../groups.ts';
import { VectorSpaces } from '../vector-spaces.ts';
import type { RebuildableViews } from './change-sources.ts';
import type { DocumentName } from './each-document.ts';
import { releaseSpaces } from './release-spaces.ts';
import { SpaceChange } from './space-change.ts';

/** The vectors of documents that are embedded in another space, with a deterministic model. */

const FORMER = DEFAULT_GROUP.initialSpace;
const PRESENT = bgeSmallEn.space.name;
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
/** Holds back the index stage. */
let held: Promise<void>;
let said: string[];
beforeEach(async () => {
  searched = FORMER;
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
    vectorSpace: async () => searched,
    withoutVectors: async () => [],
  } as unknown as ViewsReader,
  rebuild: async ({ space, inspect }) => {
    if (!(await inspect({ rebuilt: views.reader, level: async () => {} }))) return false;
    searched = space;
    group.serve(space);
    return true;
  },
};

function sources(documents = pipeline.documents) {
  const { store, texts, vectors } = pipeline;
  return { store, documents, texts, vectors, spaces, views };
}

const options = (embedder = modelOf(PRESENT)) => ({
  ...{ group: DEFAULT_GROUP, space: PRESENT, embedder, pauses: [0, 0] },
  ...{ signal: new AbortController().signal, onProgress: () => {} },
  onSkipped: ({ id }: DocumentName) => said.push(`skipped ${id}`),
});

const change = ({ documents = pipeline.documents, embedder = modelOf(PRESENT) } = {}) =>
  new SpaceChange(sources(documents), { ...options(embedder), searched: FORMER });

/** Removes the vectors of all spaces but these. */
const release = (...kept: readonly string[]) =>
  releaseSpaces(sources(), { ...options(), kept: async () => kept, pollMs: 10 });

async function move(): Promise<void> {
  group.prepare(PRESENT);
  await spaces.begin(DEFAULT_GROUP, PRESENT);
  await change().run();
}

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

test('the vectors of the former space stay until they are released, and those of a kept space after that', async () => {
  const id = await addDone('The kettle is in the blue cupboard.');
  const { documents, texts, vectors } = pipeline;
  const space = { name: OTHER, embedder: modelOf(OTHER) };
  await backfillDocument({ documents, texts, vectors, space, kept: [FORMER, OTHER] }, ORGANIZATION, id);
  await move();
  expect(await spacesOf(id)).toEqual([FORMER, PRESENT, OTHER]);
  await release(PRESENT, OTHER);
  expect(await spacesOf(id)).toEqual([PRESENT, OTHER]);
});

test('of a document that is being processed the former vectors go when it is done', async () => {
  let go = () => {};
  held = new Promise((resolve) => {
    go = resolve;
  });
  const id = await pipeline.add('The kettle is in the blue cupboard.');
  await pipeline.event(id, 'UnitsEmbedded');
  await move();
  const releasing = release(PRESENT);
  go();
  await releasing;
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
  await release(PRESENT);
  expect(await spacesOf(other)).toEqual([PRESENT]);
});

test('a document that cannot be read is left out, and the others are embedded', async () => {
  const [lost, other] = [await addDone('The ladder is lost.'), await addDone('The kettle is in the cupboard.')];
  await spaces.begin(DEFAULT_GROUP, PRESENT);
  const changing = change({ documents: failing(lost, 'permanent') });
  await changing.run();
  expect(changing.skipped).toBe(1);
  expect(said).toEqual([`skipped ${lost}`]);
  expect(await spacesOf(other)).toEqual([FORMER, PRESENT]);
  expect(await spacesOf(lost)).toContain(FORMER);
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
