import {
  BulkDeletions,
  DeletionLog,
  DocumentDeletion,
  Erasure,
  type Live,
  runDeletions,
  type Selection,
  unitsOf,
} from '#documents';
import { createCommandHandler, createFoldCache } from '#event-store';
import { ok, systemScope } from '#kernel';
import { embeddedTexts } from '#vector-spaces/model';
import { ORGANIZATION, openPipeline, type Pipeline, READY, TestEmbedder } from './support/pipeline.ts';

/** Vectors of deleted documents, with a deterministic model and the real projection, in one process. */

const SCOPE = systemScope(ORGANIZATION);
const SPACE = READY.state === 'ready' ? READY.space.name : '';
const SHARED = 'The kettle is in the blue cupboard.';

let pipeline: Pipeline;
let deletions: BulkDeletions;
let running: Promise<void>;
let stop: AbortController;
beforeEach(async () => {
  const embedder = new TestEmbedder();
  embedder.become(READY);
  pipeline = await openPipeline({ embedder });
  const { store, documents, blobs, vectors, reader, progress } = pipeline;
  const cache = createFoldCache({ characters: 1_000_000 });
  const log = new DeletionLog(createCommandHandler({ store, clock: { now: () => Date.now() }, cache }));
  deletions = new BulkDeletions({ store, log, deletion: new DocumentDeletion(documents) });
  stop = new AbortController();
  running = runDeletions({
    ...{ store, documents, deletions: log, erasure: new Erasure(blobs, vectors), views: { reader, progress } },
    ...{ hide: () => {}, logger: { warn: () => {} }, signal: stop.signal },
  });
});
afterEach(async () => {
  stop.abort();
  await running;
  await pipeline.close();
});

async function addDone(text: string, tag: string): Promise<string> {
  const id = await pipeline.add(text, tag);
  await pipeline.event(id, 'DocumentIndexed');
  return id;
}

/** Keys of the vectors of a document. */
async function keysOf(id: string): Promise<readonly string[]> {
  const document = (await pipeline.documents.load(SCOPE, id)) as Live;
  return [...embeddedTexts(SPACE, document, await unitsOf(document, pipeline.texts)).texts.keys()];
}

const remove = (selection: Selection) => deletions.delete(SCOPE, 'system', selection, stop.signal);
const stored = async (keys: readonly string[]) =>
  (await pipeline.vectors.get(keys)).filter((vector) => vector !== null).length;
const listed = async (tag: string) => {
  const query = { filter: null, filepath: null, stages: null, source: null, customId: null, offset: 0, limit: 10 };
  const scope = { organization: ORGANIZATION, tags: [tag] };
  return (await pipeline.reader.list({ ...query, scope, sort: 'createdAt', order: 'asc' })).total;
};

test('vectors go with the last document that uses them', async () => {
  const [first, second] = [await addDone(SHARED, 'a'), await addDone(SHARED, 'b')];
  const own = await addDone('A text of its own.', 'a');
  const [shared, alone] = [await keysOf(first), await keysOf(own)];
  expect(await stored([...shared, ...alone])).toBe(shared.length + alone.length);

  expect(await remove({ by: 'tags', tags: ['a'] })).toEqual(ok({ deletedCount: 2, errors: [] }));
  expect(await stored(shared)).toBe(shared.length);
  expect(await stored(alone)).toBe(0);
  expect([await listed('a'), await listed('b')]).toEqual([0, 1]);

  expect(await remove({ by: 'ids', ids: [second] })).toEqual(ok({ deletedCount: 1, errors: [] }));
  expect(await stored(shared)).toBe(0);
});

test('documents in any stage are deleted by tag, more of them than a page of the views', async () => {
  await Promise.all(Array.from({ length: 1_200 }, (_, i) => pipeline.add(`Note ${i} about the kettle.`, 'many')));
  expect(await remove({ by: 'tags', tags: ['many'] })).toEqual(ok({ deletedCount: 1_200, errors: [] }));
  expect(await listed('many')).toBe(0);
});
