import {
  BulkDeletions,
  DeletionLog,
  DocumentDeletion,
  type DocumentEvent,
  Erasure,
  type Live,
  type Selection,
  unitsOf,
} from '#features/documents';
import { runDeletions } from '#features/documents/clean-up';
import { embeddedTexts } from '#features/vector-spaces/model';
import type { Job, Pool } from '#platform/child-jobs';
import { ok, systemScope } from '#platform/kernel';
import { createCommandHandler, createFoldCache, systemCause } from '#ports/event-store';
import { until } from '../libs/platform/kernel/src/testing/eventually.ts';
import { ORGANIZATION, openPipeline, type Pipeline, READY, TestEmbedder } from './support/pipeline.ts';

/** Vectors of deleted documents, with a deterministic model and the real projection, in one process. */

const SCOPE = systemScope(ORGANIZATION);
const SPACE = READY.state === 'ready' ? READY.space.name : '';
const SHARED = 'The kettle is in the blue cupboard.';

/** Waits before each batch of texts until `proceed` is resolved. */
class GatedEmbedder extends TestEmbedder {
  readonly begun = Promise.withResolvers<void>();
  proceed: Promise<void> = Promise.resolve();

  override async embedPassages(texts: readonly string[]): Promise<readonly Float32Array[]> {
    this.begun.resolve();
    await this.proceed;
    return super.embedPassages(texts);
  }
}

let embedder: GatedEmbedder;
let pipeline: Pipeline;
let deletions: BulkDeletions;
let running: Promise<void>;
let stop: AbortController;
beforeEach(async () => {
  embedder = new GatedEmbedder();
  embedder.become(READY);
  pipeline = await openPipeline({ embedder });
  const { store, documents, blobs, vectors, reader, progress } = pipeline;
  const cache = createFoldCache({ characters: 1_000_000 });
  const log = new DeletionLog(createCommandHandler({ store, clock: { now: () => Date.now() }, cache }));
  deletions = new BulkDeletions({ store, log, deletion: new DocumentDeletion(documents) });
  stop = new AbortController();
  running = runDeletions({
    ...{ store, documents, deletions: log, erasure: new Erasure(blobs, vectors), views: { reader, progress } },
    ...{ hide: () => {}, eraseValues: async () => {}, logger: { warn: () => {} }, signal: stop.signal },
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
  return [...embeddedTexts(SPACE, document, await unitsOf(document, pipeline.texts)).passages.keys()];
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

test('the vectors of passages that vanish through an edit go with the document, except those of another one', async () => {
  const paragraphs = Array.from({ length: 12 }, (_, i) => `The kettle number ${i} is made of blue enamel. It is old.`);
  const text = paragraphs.join('\n\n');
  const [edited, other] = [await addDone(text, 'a'), await addDone(paragraphs.slice(0, 3).join('\n\n'), 'b')];
  const [before, kept] = [await keysOf(edited), new Set(await keysOf(other))];
  const replaced: DocumentEvent = {
    ...{ type: 'ContentReplaced', contentVersion: 2 },
    payload: { content: { text: { inline: paragraphs.slice(6).join('\n\n') } } },
  };
  await pipeline.documents.change(SCOPE, edited, systemCause(), () => ok([replaced]));
  await pipeline.event(edited, 'DocumentIndexed', 2);
  const after = await keysOf(edited);
  const vanished = before.filter((key) => !after.includes(key) && !kept.has(key));
  expect(vanished.length).toBeGreaterThan(0);
  // Questions about a past time compare them.
  expect(await stored(vanished)).toBe(vanished.length);
  expect(await stored(after)).toBe(after.length);
  expect(await remove({ by: 'ids', ids: [edited] })).toEqual(ok({ deletedCount: 1, errors: [] }));
  expect(await stored(vanished)).toBe(0);
  expect(await stored([...kept])).toBe(kept.size);
});

test('no vector stays of a document that is deleted while it is embedded', async () => {
  const gate = Promise.withResolvers<void>();
  embedder.proceed = gate.promise;
  const id = await pipeline.add('The otter sleeps in the reeds. It dreams of fish.', 'a');
  await embedder.begun.promise;
  const keys = await keysOf(id);
  expect(await remove({ by: 'ids', ids: [id] })).toEqual(ok({ deletedCount: 1, errors: [] }));
  gate.resolve();
  await until(
    () => pipeline.erased,
    (ids) => ids.includes(id),
  );
  expect(embedder.embedded).toBe(keys.length);
  expect(await stored(keys)).toBe(0);
});

test('no further batch is embedded of a long document that is deleted', async () => {
  const gate = Promise.withResolvers<void>();
  embedder.proceed = gate.promise;
  const lines = Array.from({ length: 200 }, (_, i) => `The kettle number ${i} is made of blue enamel. It is old.`);
  const id = await pipeline.add(lines.join('\n\n'), 'a');
  await embedder.begun.promise;
  const keys = await keysOf(id);
  expect(keys.length).toBeGreaterThan(128);
  expect(await remove({ by: 'ids', ids: [id] })).toEqual(ok({ deletedCount: 1, errors: [] }));
  gate.resolve();
  await until(
    () => pipeline.erased,
    (ids) => ids.includes(id),
  );
  expect(embedder.embedded).toBe(64);
  expect(await stored(keys)).toBe(0);
});

test('the extraction of a file ends when its document is deleted', async () => {
  const begun = Promise.withResolvers<void>();
  let ended: unknown = null;
  // Ends only by its signal.
  const run = ({ signal }: Job) =>
    new Promise<never>((_, reject) => {
      begun.resolve();
      signal?.addEventListener('abort', () => {
        ended = signal.reason;
        reject(ended);
      });
    });
  const reading = await openPipeline({ lookEvery: 20, pool: { run, close: async () => {} } as unknown as Pool });
  try {
    const id = await reading.add('A line of a long text. '.repeat(4_000));
    await begun.promise;
    const deletion = new DocumentDeletion(reading.documents);
    expect((await deletion.delete(SCOPE, systemCause(), id)).ok).toBe(true);
    await until(
      () => reading.erased,
      (ids) => ids.includes(id),
    );
    expect(String(ended)).toContain('deleted');
    for await (const folder of reading.blobs.listFolders()) expect(folder).not.toContain(id);
  } finally {
    await reading.close();
  }
});
