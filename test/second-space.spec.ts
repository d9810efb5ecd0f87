import { documentStream, formerVectorsOf, type Live, unitsOf } from '#features/documents';
import { quantize } from '#features/search';
import {
  type BackfillOptions,
  backfillDocument,
  DEFAULT_GROUP,
  GroupEmbedder,
  releaseOtherSpaces,
} from '#features/vector-spaces';
import { embeddedTexts } from '#features/vector-spaces/model';
import { systemScope } from '#platform/kernel';
import { EmbeddingInterruptedError, ModelUnavailableError } from '#ports/models';
import { Projector } from '#read-side/projections';
import type { Unit } from '#read-side/views';
import { decideDelete } from '../libs/features/documents/src/deletion/decide.ts';
import { decideAddAgain } from '../libs/features/documents/use-cases/src/add-document/decide.ts';
import { until } from '../libs/platform/kernel/src/testing/eventually.ts';
import { ORGANIZATION, openPipeline, type Pipeline, READY, TestEmbedder } from './support/pipeline.ts';

/** A second vector space next to the first, in the cache and in the views. */

const FIRST = 'test.1.384';
const SECOND = 'other.1.384';
const TEXT = 'The kettle is in the blue cupboard.';

const SCOPE = systemScope(ORGANIZATION);

let pipeline: Pipeline;
let embedder: TestEmbedder;
let second: TestEmbedder;
let group: GroupEmbedder;
beforeEach(async () => {
  embedder = new TestEmbedder();
  embedder.become(READY);
  second = new TestEmbedder();
  second.become({ state: 'ready', space: { name: SECOND, dimensions: 384 } });
  group = new GroupEmbedder(DEFAULT_GROUP, (space) => (space === FIRST ? embedder : second), FIRST);
  pipeline = await openPipeline({ group });
});
afterEach(() => pipeline.close());

const load = async (id: string) => (await pipeline.documents.load(SCOPE, id)) as Live;
async function done(text: string): Promise<string> {
  const id = await pipeline.add(text);
  await pipeline.event(id, 'DocumentIndexed');
  return id;
}

const keysOf = (space: string, document: Live, units: readonly Unit[]) => [
  ...embeddedTexts(space, document, units).passages.keys(),
];

/** Returns how many vectors of this document state are in the cache. */
async function cachedVectors(document: Live, space: string): Promise<string> {
  const keys = keysOf(space, document, await unitsOf(document, pipeline.texts));
  const vectors = await pipeline.vectors.get(keys);
  return `${vectors.filter((vector) => vector !== null).length} of ${keys.length}`;
}

function backfillOptions(duringEmbedding: () => Promise<void> = async () => {}) {
  const space: BackfillOptions['space'] = {
    name: SECOND,
    embedder: {
      embedPassages: async (texts) => {
        const once = duringEmbedding;
        duringEmbedding = async () => {};
        await once();
        return second.embedPassages(texts);
      },
      embedWindows: (windows) => second.embedWindows(windows),
    },
  };
  const { documents, texts, vectors } = pipeline;
  return { documents, texts, vectors, kept: [FIRST, SECOND], space };
}

const cause = { actor: 'key:test', correlationId: 'again', causationId: null };

async function remove(id: string): Promise<void> {
  await pipeline.documents.change(SCOPE, id, cause, decideDelete, { erase: true });
  await pipeline.vectors.release(documentStream(ORGANIZATION, id));
}

async function grow(id: string): Promise<void> {
  const change = { kind: 'append', text: { inline: ' The tea is beside it.' }, sent: null, borders: [] } as const;
  const again = { correlationId: 'again', metadata: null, change };
  await pipeline.documents.change(SCOPE, id, cause, (state) => decideAddAgain(state, again));
}

test('a document that is added while a space is built is embedded in both', async () => {
  group.prepare(SECOND);
  const document = await load(await done(TEXT));
  expect([await cachedVectors(document, FIRST), await cachedVectors(document, SECOND)]).toEqual(['1 of 1', '1 of 1']);
  expect(document.vectorSpace).toBe(FIRST);
});

/** Returns the negated vectors of TestEmbedder, to identify the model of a vector. */
class NegatingEmbedder extends TestEmbedder {
  override async embedPassages(texts: readonly string[]): Promise<readonly Float32Array[]> {
    return (await super.embedPassages(texts)).map((vector) => vector.map((value) => -value));
  }
}

test('a document whose space changes while it is embedded is embedded in the new one, by that model', async () => {
  await pipeline.close();
  const first = new TestEmbedder();
  const opposite = new NegatingEmbedder();
  const switching = new GroupEmbedder(DEFAULT_GROUP, (space) => (space === FIRST ? first : opposite), FIRST);
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
  pipeline = await openPipeline({ group: switching });
  const document = await load(await done(texts));
  expect(calls).toBe(2);
  expect(document.vectorSpace).toBe(SECOND);
  expect(await cachedVectors(document, SECOND)).toMatch(/^(\d+) of \1$/);
  const { passages } = embeddedTexts(SECOND, document, await unitsOf(document, pipeline.texts));
  const [[key, passage] = []] = [...passages];
  const text = passage?.kind === 'text' ? passage.text : '';
  const [found] = await pipeline.vectors.get([key as string]);
  const [expected] = await opposite.embedPassages([text]);
  expect([...(found as Uint8Array)]).toEqual([...quantize(expected as Float32Array)]);
});

test('a fault of the coming space’s model does not fail the document', async () => {
  group.prepare(SECOND);
  second.embedPassages = () => Promise.reject(new EmbeddingInterruptedError('the process died'));
  const document = await load(await done(TEXT));
  expect([await cachedVectors(document, FIRST), await cachedVectors(document, SECOND)]).toEqual(['1 of 1', '0 of 1']);
});

test('backfillDocument() adds missing vectors once and does not change the stream', async () => {
  const id = await done(TEXT);
  const before = await pipeline.documents.events(SCOPE, id);
  expect(await backfillDocument(backfillOptions(), ORGANIZATION, id)).toBe(1);
  expect(await backfillDocument(backfillOptions(), ORGANIZATION, id)).toBe(0);
  const document = await load(id);
  expect([await cachedVectors(document, FIRST), await cachedVectors(document, SECOND)]).toEqual(['1 of 1', '1 of 1']);
  expect(await pipeline.documents.events(SCOPE, id)).toEqual(before);
});

test('backfillDocument() leaves no vectors of a document that is deleted at the same time', async () => {
  const id = await done(TEXT);
  const document = await load(id);
  const options = backfillOptions(() => remove(id));
  await backfillDocument(options, ORGANIZATION, id);
  // Blobs and payloads were removed with it, so the keys follow from the earlier state.
  const keys = [FIRST, SECOND].flatMap((space) => keysOf(space, document, [unit(TEXT)]));
  expect(await pipeline.vectors.get(keys)).toEqual(keys.map(() => null));
});

const unit = (text: string) => ({ id: 'u', kind: 'memory' as const, ordinal: 0, text, speaker: null });

test('backfillDocument() leaves only the vectors of the present version if the content changes at the same time', async () => {
  const id = await done(TEXT);
  const old = await load(id);
  // A process that has not learned of the second space yet removes its vectors.
  const options = backfillOptions(async () => {
    await grow(id);
    await pipeline.event(id, 'ContentAppended');
    await until(
      async () => (await load(id)).stage,
      (stage) => stage === 'done',
    );
  });
  await backfillDocument(options, ORGANIZATION, id);
  const document = await load(id);
  expect(document.contentVersion).toBe(2);
  // What the document has left to its former units.
  await pipeline.vectors.release(formerVectorsOf(documentStream(ORGANIZATION, id)));
  for (const space of [FIRST, SECOND]) {
    expect(await cachedVectors(document, space)).toMatch(/^(\d+) of \1$/);
    expect(await pipeline.vectors.get(keysOf(space, old, [unit(TEXT)]))).toEqual([null]);
  }
});

test('backfillDocument() leaves a document that was never embedded to the stages', async () => {
  embedder.become({ state: 'loading' });
  const id = await done(TEXT);
  expect(await backfillDocument(backfillOptions(), ORGANIZATION, id)).toBe(0);
});

test('releaseOtherSpaces() keeps the vectors of the given spaces only', async () => {
  const id = await done(TEXT);
  const options = backfillOptions();
  await backfillDocument(options, ORGANIZATION, id);
  await releaseOtherSpaces({ ...options, kept: [SECOND] }, ORGANIZATION, id);
  const document = await load(id);
  expect([await cachedVectors(document, FIRST), await cachedVectors(document, SECOND)]).toEqual(['0 of 1', '1 of 1']);
});

describe('views of the second space', () => {
  const projector = () => {
    const { store, texts, vectors } = pipeline;
    return new Projector({ store, texts, vectors, space: SECOND });
  };
  const events = async () => (await pipeline.store.readAll({ after: null, limit: 1_000 })).events;

  test('have its vectors, whichever space a document was embedded in last', async () => {
    const [both, one] = [await done(TEXT), await done('Another text.')];
    await backfillDocument(backfillOptions(), ORGANIZATION, both);
    for (const { changes } of [
      await projector().latestOf(await events()),
      await projector().changesOf(await events()),
    ]) {
      const rows = changes.map((change) => ({
        id: change.kind === 'upsert' && change.row.id,
        spaces: change.kind === 'upsert' && change.row.vectorSpaces,
        vectors: change.kind === 'upsert' && change.units && 'vectors' in change.units && change.units.vectors?.length,
      }));
      expect(rows).toEqual([
        { id: both, spaces: [SECOND], vectors: 2 },
        { id: one, spaces: [], vectors: undefined },
      ]);
    }
  });

  test('keep the name of their space when other fields of the document change', async () => {
    const [both, one] = [await done(TEXT), await done('Another text.')];
    await backfillDocument(backfillOptions(), ORGANIZATION, both);
    const projecting = projector();
    await projecting.changesOf(await events());
    const changed = [];
    for (const id of [both, one]) {
      const details = {
        correlationId: 'again',
        metadata: { n: 1 },
        tags: ['t'],
        change: { kind: 'none', isRepeated: false },
      } as const;
      await pipeline.documents.change(SCOPE, id, cause, (state) => decideAddAgain(state, details));
      const last = (await events()).filter(({ stream }) => stream === documentStream(ORGANIZATION, id)).slice(-1);
      changed.push(...(await projecting.changesOf(last)).changes);
    }
    expect(changed).toMatchObject([{ row: { vectorSpaces: [SECOND] } }, { row: { vectorSpaces: [] } }]);
  });
});
