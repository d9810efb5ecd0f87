import { documentStream, type Live, unitsOf } from '#documents';
import { systemScope } from '#kernel';
import { EmbeddingInterruptedError, ModelUnavailableError, SwitchingEmbedder } from '#models';
import { embedBeside, forgetOtherSpaces, type Space } from '#pipeline';
import { Projector } from '#projections';
import { quantize } from '#search';
import { decideAddAgain } from '../libs/documents/use-cases/src/add-document/decide.ts';
import { decideDelete } from '../libs/documents/use-cases/src/delete-document/decide.ts';
import { textsByKey } from '../libs/pipeline/src/embedding.ts';
import { ORGANIZATION, openPipeline, type Pipeline, READY, TestEmbedder } from './support/pipeline.ts';

/** A second vector space beside the first, in the cache and in the views. */

const FIRST = 'test.1.384';
const SECOND = 'other.1.384';
const TEXT = 'The kettle is in the blue cupboard.';

const SCOPE = systemScope(ORGANIZATION);

let pipeline: Pipeline;
let embedder: TestEmbedder & { coming?: TestEmbedder };
let second: TestEmbedder;
beforeEach(async () => {
  embedder = new TestEmbedder();
  embedder.become(READY);
  second = new TestEmbedder();
  second.become({ state: 'ready', space: { name: SECOND, dimensions: 384 } });
  pipeline = await openPipeline({ embedder });
});
afterEach(() => pipeline.close());

const load = async (id: string) => (await pipeline.documents.load(SCOPE, id)) as Live;
async function done(text: string): Promise<string> {
  const id = await pipeline.add(text);
  await pipeline.event(id, 'DocumentIndexed');
  return id;
}

/** Of the vectors that this state of a document needs, how many the cache holds. */
async function held(document: Live, space: string): Promise<string> {
  const keys = [...textsByKey(space, document, await unitsOf(document, pipeline.texts)).keys()];
  const vectors = await pipeline.vectors.get(keys);
  return `${vectors.filter((vector) => vector !== null).length} of ${keys.length}`;
}

function beside(meanwhile: () => Promise<void> = async () => {}) {
  const space: Space = {
    name: SECOND,
    embedder: {
      embedPassages: async (texts) => {
        const once = meanwhile;
        meanwhile = async () => {};
        await once();
        return second.embedPassages(texts);
      },
    },
  };
  const { documents, texts, vectors } = pipeline;
  return { documents, texts, vectors, serving: FIRST, space };
}

const cause = { actor: 'key:test', correlationId: 'again', causationId: null };

async function remove(id: string): Promise<void> {
  await pipeline.documents.change(SCOPE, id, cause, decideDelete, { erase: true });
  await pipeline.vectors.release(documentStream(ORGANIZATION, id));
}

async function grow(id: string): Promise<void> {
  const change = { kind: 'append', text: { inline: ' The tea is beside it.' } } as const;
  const again = { correlationId: 'again', metadata: null, tags: ['t'], change };
  await pipeline.documents.change(SCOPE, id, cause, (state) => decideAddAgain(state, again));
}

test('what is added while a space is built is embedded in both', async () => {
  embedder.coming = second;
  const document = await load(await done(TEXT));
  expect([await held(document, FIRST), await held(document, SECOND)]).toEqual(['1 of 1', '1 of 1']);
  expect(document.vectorSpace).toBe(FIRST);
});

/** Its vectors are the opposite of those of other spaces, so that one can tell who made them. */
class Opposite extends TestEmbedder {
  override async embedPassages(texts: readonly string[]): Promise<readonly Float32Array[]> {
    return (await super.embedPassages(texts)).map((vector) => vector.map((value) => -value));
  }
}

test('what is being embedded when the space changes is embedded in the new one, by its own model', async () => {
  await pipeline.close();
  const first = new TestEmbedder();
  const opposite = new Opposite();
  const switching = new SwitchingEmbedder((space) => (space === FIRST ? first : opposite), FIRST);
  first.become(READY);
  opposite.become({ state: 'ready', space: { name: SECOND, dimensions: 384 } });
  switching.prepare(SECOND);
  const texts = Array.from({ length: 80 }, (_, i) => `Line ${i} of a long list of unlike things.`).join('\n\n');
  const embedPassages = first.embedPassages.bind(first);
  let calls = 0;
  first.embedPassages = async (...args) => {
    calls += 1;
    if (calls === 2) {
      switching.serve(SECOND);
      throw new ModelUnavailableError('The embedder is closed');
    }
    return embedPassages(...args);
  };
  pipeline = await openPipeline({ embedder: switching });
  const document = await load(await done(texts));
  expect(calls).toBe(2);
  expect(document.vectorSpace).toBe(SECOND);
  expect(await held(document, SECOND)).toMatch(/^(\d+) of \1$/);
  const [[key, text] = []] = [...textsByKey(SECOND, document, await unitsOf(document, pipeline.texts))];
  const [found] = await pipeline.vectors.get([key as string]);
  const [expected] = await opposite.embedPassages([text as string]);
  expect([...(found as Uint8Array)]).toEqual([...quantize(expected as Float32Array)]);
});

test('what the model of the other space cannot embed is no fault of the document', async () => {
  embedder.coming = second;
  second.embedPassages = () => Promise.reject(new EmbeddingInterruptedError('the process died'));
  const document = await load(await done(TEXT));
  expect([await held(document, FIRST), await held(document, SECOND)]).toEqual(['1 of 1', '0 of 1']);
});

test('what was there is embedded beside, once, and its stream does not change', async () => {
  const id = await done(TEXT);
  const before = await pipeline.documents.events(SCOPE, id);
  expect(await embedBeside(beside(), ORGANIZATION, id)).toBe(1);
  expect(await embedBeside(beside(), ORGANIZATION, id)).toBe(0);
  const document = await load(id);
  expect([await held(document, FIRST), await held(document, SECOND)]).toEqual(['1 of 1', '1 of 1']);
  expect(await pipeline.documents.events(SCOPE, id)).toEqual(before);
});

test('nothing is left of a document that is deleted while it is embedded beside', async () => {
  const id = await done(TEXT);
  const document = await load(id);
  const options = beside(() => remove(id));
  await embedBeside(options, ORGANIZATION, id);
  // Blobs and payloads are gone with it, so the keys are those from before.
  const keys = [FIRST, SECOND].flatMap((space) => [...textsByKey(space, document, [unit(TEXT)]).keys()]);
  expect(await pipeline.vectors.get(keys)).toEqual(keys.map(() => null));
});

const unit = (text: string) => ({ id: 'u', kind: 'memory' as const, ordinal: 0, text, speaker: null });

test('of a content that changes while it is embedded beside, the present version is what remains', async () => {
  const id = await done(TEXT);
  const old = await load(id);
  // As a process does that has not heard of the second space yet: it forgets what it does not know of.
  const options = beside(async () => {
    await grow(id);
    await pipeline.event(id, 'ContentAppended');
    const signal = AbortSignal.timeout(30_000);
    while ((await load(id)).stage !== 'done') {
      signal.throwIfAborted();
      await new Promise(setImmediate);
    }
  });
  await embedBeside(options, ORGANIZATION, id);
  const document = await load(id);
  expect(document.contentVersion).toBe(2);
  for (const space of [FIRST, SECOND]) {
    expect(await held(document, space)).toMatch(/^(\d+) of \1$/);
    expect(await pipeline.vectors.get([...textsByKey(space, old, [unit(TEXT)]).keys()])).toEqual([null]);
  }
});

test('what was never embedded is left to the stages', async () => {
  embedder.become({ state: 'loading' });
  const id = await done(TEXT);
  expect(await embedBeside(beside(), ORGANIZATION, id)).toBe(0);
});

test('the other spaces of a document are forgotten, and this one is kept', async () => {
  const id = await done(TEXT);
  const options = beside();
  await embedBeside(options, ORGANIZATION, id);
  await forgetOtherSpaces(options, ORGANIZATION, id);
  const document = await load(id);
  expect([await held(document, FIRST), await held(document, SECOND)]).toEqual(['0 of 1', '1 of 1']);
});

describe('views of the second space', () => {
  const projector = () => {
    const { store, texts, vectors } = pipeline;
    return new Projector({ store, texts, vectors, space: SECOND });
  };
  const events = async () => (await pipeline.store.readAll({ after: null, limit: 1_000 })).events;

  test('hold its vectors, whichever space a document was embedded in last', async () => {
    const [both, one] = [await done(TEXT), await done('Another text.')];
    await embedBeside(beside(), ORGANIZATION, both);
    for (const { changes } of [
      await projector().latestOf(await events()),
      await projector().changesOf(await events()),
    ]) {
      const rows = changes.map((change) => ({
        id: change.kind === 'upsert' && change.row.id,
        space: change.kind === 'upsert' && change.row.vectorSpace,
        vectors: change.kind === 'upsert' && change.units && 'vectors' in change.units && change.units.vectors?.length,
      }));
      expect(rows).toEqual([
        { id: both, space: SECOND, vectors: 2 },
        { id: one, space: null, vectors: undefined },
      ]);
    }
  });

  test('go on saying so when anything else about the document changes', async () => {
    const [both, one] = [await done(TEXT), await done('Another text.')];
    await embedBeside(beside(), ORGANIZATION, both);
    const projecting = projector();
    await projecting.changesOf(await events());
    const changed = [];
    for (const id of [both, one]) {
      const details = { correlationId: 'again', metadata: { n: 1 }, tags: ['t'], change: { kind: 'none' } } as const;
      await pipeline.documents.change(SCOPE, id, cause, (state) => decideAddAgain(state, details));
      const last = (await events()).filter(({ stream }) => stream === documentStream(ORGANIZATION, id)).slice(-1);
      changed.push(...(await projecting.changesOf(last)).changes);
    }
    expect(changed).toMatchObject([{ row: { vectorSpace: SECOND } }, { row: { vectorSpace: null } }]);
  });
});
