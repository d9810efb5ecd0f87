import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import {
  DocumentRepository,
  decideRestart,
  decideStart,
  documentStream,
  indexed,
  type Live,
  unitsOf,
} from '#features/documents';
import { SettingsRepository } from '#features/settings';
import { embeddedTexts } from '#features/vector-spaces/model';
import { ChildEndedError, JobMemoryError, JobTimeoutError, Pool } from '#platform/child-jobs';
import { isTransient, ok, ResourceError, systemClock, systemScope } from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';
import { createCommandHandler, createFoldCache, PayloadTooLargeError, requestCause } from '#ports/event-store';
import type { WorkMessage } from '#ports/message-bus';
import { EmbeddingInterruptedError } from '#ports/models';
import { MissingResourceError } from '#processing/extraction';
import { RowRejectedError, type ViewsWriter } from '#read-side/views';
import { Summaries } from '../libs/processing/pipeline/src/summaries.ts';
import { TestDatabase } from './support/eventstoredb/database.ts';
import { eventually, until } from './support/mneme.ts';
import { ORGANIZATION, openPipeline, type Pipeline, READY, TestEmbedder } from './support/pipeline.ts';
import { SmallDisk } from './support/small-disk.ts';

let pipeline: Pipeline;
let database: TestDatabase | null = null;
let disk: SmallDisk | null = null;
const scope = { organization: ORGANIZATION, tags: 'all' } as const;
const search = (question: string, kind: 'chunk' | 'memory' = 'memory') =>
  pipeline.reader.search({
    scope,
    kind,
    question,
    vectors: [],
    filter: null,
    filepath: null,
    documentId: null,
    limit: 10,
  });
const removeViews = async (folder: string) => {
  for (const end of ['', '-wal', '-shm']) await rm(join(folder, `views.db${end}`), { force: true });
};
const SCOPE = systemScope(ORGANIZATION);
const cause = () => requestCause('key:test');
const typesOf = async (id: string) =>
  (await pipeline.store.readStream(documentStream(ORGANIZATION, id))).events.map(({ envelope }) => envelope.type);

afterEach(async () => {
  await pipeline.close();
  await database?.stop();
  database = null;
  await disk?.unmount();
  disk = null;
});

test('a short text is added, processed and found with three appends', async () => {
  pipeline = await openPipeline();
  const id = await pipeline.add('The kettle is in the blue cupboard.');
  await pipeline.event(id, 'DocumentIndexed');
  expect(await typesOf(id)).toEqual([
    'DocumentAdded',
    'ContentExtracted',
    'ContentChunked',
    'MemoriesFormed',
    'SummaryFormed',
    'DocumentIndexed',
  ]);
  expect((await search('kettle')).map(({ unit }) => unit.text)).toEqual(['The kettle is in the blue cupboard.']);
  expect(await search('kettle', 'chunk')).toHaveLength(1);
  expect(pipeline.faults).toEqual([]);
});

test('the index stage appends DocumentIndexed without reading the stream, unless the revision has changed', async () => {
  pipeline = await openPipeline();
  const id = await pipeline.add('The kettle is in the blue cupboard.');
  await pipeline.event(id, 'DocumentIndexed');
  const documents = new DocumentRepository(
    createCommandHandler({ store: pipeline.store, clock: systemClock, cache: createFoldCache({ characters: 10_000 }) }),
  );
  const read = jest.spyOn(pipeline.store, 'readStream');
  expect(await documents.changeAsSeen(SCOPE, id, cause(), { revision: 4, tags: [] }, [indexed(1)])).toBeNull();
  expect(
    await documents.changeAsSeen(SCOPE, id, cause(), { revision: 5, tags: ['home'] }, [indexed(1)]),
  ).not.toBeNull();
  expect(read).not.toHaveBeenCalled();
  const { events } = await pipeline.store.readStream(documentStream(ORGANIZATION, id));
  expect(events.at(-1)).toMatchObject({ revision: 6, envelope: { type: 'DocumentIndexed', tags: ['home'] } });
  await documents.load(SCOPE, id);
  expect(await documents.changeAsSeen(SCOPE, id, cause(), { revision: 6, tags: [] }, [indexed(1)])).toBeNull();
});

test('a long text is read in a child process, its start is recorded, and its last words are found', async () => {
  pipeline = await openPipeline();
  const id = await pipeline.add(
    `${'All work and no play makes for a dull afternoon. '.repeat(2_000)}\n\nThe zebra sings.`,
  );
  await pipeline.event(id, 'DocumentIndexed');
  expect(await typesOf(id)).toEqual([
    'DocumentAdded',
    'StageStarted',
    'ContentExtracted',
    'StageStarted',
    'ContentChunked',
    'MemoriesFormed',
    'SummaryFormed',
    'DocumentIndexed',
  ]);
  expect((await search('zebra'))[0]?.unit.text).toContain('The zebra sings.');
});

test('with a model the summary of a longer text is recorded with its vectors, in one append', async () => {
  const embedder = new TestEmbedder();
  embedder.become(READY);
  pipeline = await openPipeline({ embedder });
  const append = jest.spyOn(pipeline.store, 'append');
  const text = Array.from({ length: 12 }, (_, i) => `Shelf ${i} of the seed bank keeps ${i * 7} jars of vetch.`);
  const id = await pipeline.add(text.join('\n\n'));
  await pipeline.event(id, 'DocumentIndexed');
  expect((await typesOf(id)).slice(3)).toEqual([
    ...['MemoriesFormed', 'StageStarted', 'UnitsEmbedded', 'SummaryFormed', 'DocumentIndexed'],
  ]);
  const appended = append.mock.calls.map(([, events]) => events.map(({ envelope }) => envelope.type));
  expect(appended).toContainEqual(['UnitsEmbedded', 'SummaryFormed']);
  const [row] = await pipeline.reader.documents(scope, [id]);
  expect(row).toMatchObject({ summary: expect.stringMatching(/^Shelf \d+ of the seed bank/), isSummarized: true });
});

test('documents that were done without a summary get one, those that a process manager saw and those that it lists', async () => {
  const unformed = jest.spyOn(Summaries.prototype, 'ofPassages').mockResolvedValue(undefined);
  let isLost = false;
  pipeline = await openPipeline({
    intercept: async (work, _, run) => (isLost && work === 'summarize' ? undefined : run()),
  });
  const seen = await pipeline.add('The kettle is in the blue cupboard. It is for tea.');
  await pipeline.event(seen, 'SummaryFormed');
  expect((await typesOf(seen)).slice(-2)).toEqual(['DocumentIndexed', 'SummaryFormed']);

  isLost = true;
  const listed = await pipeline.add('The pan is below. It is for soup.');
  await pipeline.event(listed, 'DocumentIndexed');
  const { folder } = pipeline;
  await pipeline.close({ keep: true });
  unformed.mockRestore();
  pipeline = await openPipeline({ folder });
  await pipeline.event(listed, 'SummaryFormed');
  expect(await pipeline.progress.reached(await pipeline.store.head(), 30_000)).toBe(true);
  expect(await pipeline.reader.countWithoutSummary()).toBe(0);
  const rows = await pipeline.reader.documents(scope, [seen, listed]);
  expect(rows.map(({ summary }) => summary).sort()).toEqual([
    'The kettle is in the blue cupboard. It is for tea.',
    'The pan is below. It is for soup.',
  ]);
});

test('with a model each text is embedded once, and a rebuild of the views embeds none again', async () => {
  const embedder = new TestEmbedder();
  embedder.become(READY);
  pipeline = await openPipeline({ embedder });
  const id = await pipeline.add('The kettle is in the blue cupboard.');
  await pipeline.event(id, 'DocumentIndexed');
  expect(await typesOf(id)).toContain('UnitsEmbedded');
  const vector = { space: 'test.1.384', values: await embedder.embedQuestion('The kettle is in the blue cupboard.') };
  const ask = async () =>
    (
      await pipeline.reader.search({
        scope,
        kind: 'memory',
        question: 'kettle',
        vectors: [vector],
        filter: null,
        filepath: null,
        documentId: null,
        limit: 5,
      })
    ).map(({ unit, score, evidence }) => ({ unit, score, evidence }));
  const before = await ask();
  expect(before[0]?.evidence.cosineBare).toBeGreaterThan(0.9);
  const { folder } = pipeline;
  const embedded = embedder.embedded;
  await pipeline.close({ keep: true });
  await removeViews(folder);
  pipeline = await openPipeline({ folder, embedder });
  const last = await pipeline.add('Another text.');
  await pipeline.event(last, 'DocumentIndexed');
  expect((await ask()).filter(({ unit }) => unit.text.includes('kettle'))).toMatchObject(
    before.map(({ unit, evidence }) => ({ unit, evidence: { cosineBare: evidence.cosineBare } })),
  );
  expect(embedder.embedded).toBe(embedded + 1);
});

test('without a model documents become done, and the backfill adds vectors later without a change of status', async () => {
  const embedder = new TestEmbedder();
  pipeline = await openPipeline({ embedder });
  const id = await pipeline.add('The kettle is in the blue cupboard.');
  await pipeline.event(id, 'DocumentIndexed');
  expect(await search('kettle')).toHaveLength(1);
  embedder.become(READY);
  await pipeline.event(id, 'UnitsEmbedded');
  expect(await pipeline.documents.load(SCOPE, id)).toMatchObject({ stage: 'done', vectorSpace: 'test.1.384' });
});

test('a restart continues unfinished documents', async () => {
  pipeline = await openPipeline({ intercept: async () => undefined });
  const ids = [await pipeline.add('one'), await pipeline.add('two')];
  const { folder } = pipeline;
  await pipeline.close({ keep: true });
  pipeline = await openPipeline({ folder });
  for (const id of ids) await pipeline.event(id, 'DocumentIndexed');
  expect((await pipeline.reader.unfinished({ after: null, limit: 10 })).length).toBe(0);
});

test('work names the last change of the settings before it, also after a restart', async () => {
  pipeline = await openPipeline();
  const settingsAt = async () => {
    const id = await pipeline.add('The kettle is in the blue cupboard.');
    await pipeline.event(id, 'DocumentIndexed');
    const named = pipeline.bus.seen.filter(({ message }) => message.documentId === id);
    return [...new Set(named.map(({ message }) => message.settingsAt))];
  };
  expect(await settingsAt()).toEqual([null]);
  const cache = createFoldCache({ characters: 10_000 });
  const settings = new SettingsRepository(
    createCommandHandler({ store: pipeline.store, clock: systemClock, cache }),
    {} as never,
  );
  await settings.change(ORGANIZATION, cause(), { chunkSize: 40 });
  const head = await pipeline.store.head();
  expect(await settingsAt()).toEqual([head]);
  const { folder } = pipeline;
  await pipeline.close({ keep: true });
  pipeline = await openPipeline({ folder });
  expect(await settingsAt()).toEqual([head]);
});

test('work of a lost message is dispatched again', async () => {
  let now = Date.now();
  let lost = 0;
  pipeline = await openPipeline({
    clock: { now: () => now },
    intercept: async (_work, _message, run) => {
      if (lost++ > 0) await run();
    },
  });
  const id = await pipeline.add('The kettle is in the blue cupboard.');
  await until(() => pipeline.bus.seen.length);
  const extractions = () => pipeline.bus.seen.filter(({ work }) => work === 'extract');
  now += 61_000;
  await pipeline.manager.sweep();
  // Work that has just ended is not on the bus either, and its event may not have been read yet.
  expect(extractions()).toHaveLength(1);
  await pipeline.manager.sweep();
  await pipeline.event(id, 'DocumentIndexed');
  expect(extractions()).toHaveLength(2);
});

test('work in progress on the bus is not dispatched again, independent of its duration', async () => {
  let now = Date.now();
  const gate = Promise.withResolvers<void>();
  pipeline = await openPipeline({
    clock: { now: () => now },
    intercept: (_work, _message, run) => gate.promise.then(run),
  });
  pipeline.bus.holds = true;
  const id = await pipeline.add('The kettle is in the blue cupboard.');
  await until(() => pipeline.bus.seen.length);
  now += 600_000;
  await pipeline.manager.sweep();
  gate.resolve();
  await pipeline.event(id, 'DocumentIndexed');
  expect(pipeline.bus.seen.filter(({ work }) => work === 'extract')).toHaveLength(1);
});

test('an outage of the bus only delays documents', async () => {
  pipeline = await openPipeline();
  pipeline.bus.down = true;
  const ids = await Promise.all(Array.from({ length: 200 }, (_, i) => pipeline.add(`Note number ${i}.`)));
  await until(
    () => pipeline.load.unfinished,
    (count) => count >= 200,
  );
  pipeline.bus.down = false;
  for (const id of ids) await pipeline.event(id, 'DocumentIndexed');
  expect(pipeline.bus.seen.filter(({ work }) => work === 'extract')).toHaveLength(200);
});

test('a document that crashes the process fails after three starts', async () => {
  let folder: string | undefined;
  const text = '<html><body>crash</body></html>';
  let id = '';
  for (let round = 0; round < 3; round += 1) {
    let begun = () => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    pipeline = await openPipeline({
      ...(folder && { folder }),
      // The process dies after the start is recorded.
      intercept: async (_work, message) => {
        await pipeline.documents.change(
          SCOPE,
          message.documentId,
          { actor: 'system', correlationId: 'x', causationId: null },
          (state) => decideStart(state, message.contentVersion, 'extracting'),
        );
        begun();
      },
    });
    if (round === 0) id = await pipeline.add(text);
    await started;
    folder = pipeline.folder;
    await pipeline.close({ keep: true });
  }
  pipeline = await openPipeline({ folder: folder as string });
  await pipeline.event(id, 'ProcessingFailed');
  expect(await pipeline.documents.load(SCOPE, id)).toMatchObject({
    stage: 'failed',
    error: { stage: 'extracting', code: 'stage_crashed' },
  });
});

/** Redelivers a message without pauses until it is handled. */
async function redelivered(work: string, message: WorkMessage): Promise<void> {
  for (let delivery = 1; ; ) {
    try {
      return await pipeline.stages.run(work, message, delivery);
    } catch (error) {
      if (!isTransient(error)) delivery += 1;
    }
  }
}

test('a stage whose errors are transient uses up no attempts', async () => {
  const embedder = new TestEmbedder();
  embedder.become(READY);
  const embed = jest.spyOn(embedder, 'embedPassages');
  for (const code of ['no_space', 'too_many_files', 'busy', 'io_error'] as const) {
    embed.mockRejectedValueOnce(new ResourceError(code, 'for now'));
  }
  pipeline = await openPipeline({ embedder, intercept: redelivered });
  const id = await pipeline.add('The kettle is in the blue cupboard.');
  await pipeline.event(id, 'DocumentIndexed');
  expect(embed).toHaveBeenCalledTimes(5);
  expect((await typesOf(id)).filter((type) => type === 'StageStarted')).toHaveLength(1);
});

test('on a full disk no document fails, and each is done with its vectors once there is space', async () => {
  disk = await SmallDisk.mount(32);
  const embedder = new TestEmbedder();
  embedder.become(READY);
  const kinds = new Set<string>();
  let refused = 0;
  const intercept = async (work: string, message: WorkMessage) => {
    for (let delivery = 1; ; ) {
      try {
        return await pipeline.stages.run(work, message, delivery);
      } catch (error) {
        refused += 1;
        kinds.add(isTransient(error) ? 'transient' : String(error));
        if (!isTransient(error)) delivery += 1;
        await pause(20);
      }
    }
  };
  const folder = disk && join(disk.folder, 'data');
  if (folder !== null) await mkdir(folder);
  pipeline = await openPipeline({ ...(folder && { folder }), embedder, intercept });
  if (disk === null) return;
  const text = (i: number) => `Note ${i}. ${'The wallaby sleeps in the grass. '.repeat(150)}`;
  await pipeline.event(await pipeline.add(text(0)), 'DocumentIndexed');
  disk.fill(2);
  const ids: string[] = [];
  const full = await (async () => {
    for (let i = 1; ; i += 1) ids.push(await pipeline.add(text(i)));
  })().catch((error: unknown) => error);
  expect(full).toMatchObject({ kind: 'transient', code: 'no_space' });
  expect(ids.length).toBeGreaterThan(3);
  // More than enough deliveries to fail each document, if they counted.
  await until(
    () => {
      disk?.fill(0);
      return refused;
    },
    (count) => count >= ids.length * 5,
  );
  disk.free();
  for (const id of ids) await pipeline.event(id, 'DocumentIndexed');
  for (const id of ids) {
    const types = await typesOf(id);
    expect(types).toContain('UnitsEmbedded');
    expect(types).not.toContain('ProcessingFailed');
  }
  expect([...kinds]).toEqual(['transient']);
});

test('a stage is abandoned when the process stops, which uses up no attempt', async () => {
  const embedder = new TestEmbedder();
  embedder.become(READY);
  const begun = Promise.withResolvers<void>();
  jest.spyOn(embedder, 'embedPassages').mockImplementation(() => {
    begun.resolve();
    return new Promise(() => {});
  });
  const stopping = new AbortController();
  const ended = Promise.withResolvers<unknown>();
  pipeline = await openPipeline({
    embedder,
    intercept: (work, message, run) =>
      work === 'embed' ? pipeline.stages.run(work, message, 1, stopping.signal).catch(ended.resolve) : run(),
  });
  const id = await pipeline.add('The kettle is in the blue cupboard.');
  await begun.promise;
  expect(await pipeline.documents.load(SCOPE, id)).toMatchObject({ stage: 'embedding', attempts: 1 });
  stopping.abort();
  expect(await ended.promise).toMatchObject({ kind: 'transient', code: 'stage_abandoned' });
  expect((await typesOf(id)).at(-1)).toBe('StageAbandoned');
  expect(await pipeline.documents.load(SCOPE, id)).toMatchObject({ stage: 'embedding', attempts: 0 });
});

test('an embed stage that ends after the next version is done leaves no vectors of its own', async () => {
  const embedder = new TestEmbedder();
  embedder.become(READY);
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const embedPassages = embedder.embedPassages.bind(embedder);
  jest.spyOn(embedder, 'embedPassages').mockImplementationOnce(async (texts) => {
    begun.resolve();
    await released.promise;
    return embedPassages(texts);
  });
  const stages: Promise<void>[] = [];
  pipeline = await openPipeline({
    embedder,
    intercept: (work, _message, run) => {
      const running = run();
      if (work === 'embed') stages.push(running);
      return running;
    },
  });
  const id = await pipeline.add('The kettle is in the blue cupboard.');
  await begun.promise;
  const keysOf = async () => {
    const document = (await pipeline.documents.load(SCOPE, id)) as Live;
    return [...embeddedTexts('test.1.384', document, await unitsOf(document, pipeline.texts)).passages.keys()];
  };
  const earlier = await keysOf();
  const content = { text: { inline: 'The ladder leans against the barn.' } };
  await pipeline.documents.change(SCOPE, id, cause(), () =>
    ok([{ type: 'ContentReplaced', contentVersion: 2, payload: { content } }]),
  );
  await pipeline.event(id, 'DocumentIndexed');
  released.resolve();
  await stages[0];
  expect(earlier).not.toEqual([]);
  expect(await pipeline.vectors.get(earlier)).toEqual(earlier.map(() => null));
  expect(await pipeline.vectors.get(await keysOf())).not.toContain(null);
});

test.each([
  { what: 'an unknown error', make: () => new Error('broken'), times: 3, name: 'Error' },
  {
    what: 'the end of the embedding process',
    make: () => new EmbeddingInterruptedError('gone'),
    times: 3,
    name: 'EmbeddingInterruptedError',
  },
  { what: 'a permanent error', make: () => new PayloadTooLargeError('long'), times: 1, name: 'PayloadTooLargeError' },
])('$what at each delivery fails the document at delivery $times', async ({ make, times, name }) => {
  const embedder = new TestEmbedder();
  embedder.become(READY);
  jest.spyOn(embedder, 'embedPassages').mockImplementation(() => Promise.reject(make()));
  pipeline = await openPipeline({ embedder, intercept: redelivered });
  const id = await pipeline.add('The kettle is in the blue cupboard.');
  await pipeline.event(id, 'ProcessingFailed');
  expect(await pipeline.documents.load(SCOPE, id)).toMatchObject({
    stage: 'failed',
    error: { code: 'processing_failed', message: `The stage embedding failed ${times} times (${name})` },
  });
  expect(embedder.embedPassages).toHaveBeenCalledTimes(times);
});

/** A pool in which every job ends with an error. */
const failingPool = (error: Error) =>
  ({ run: () => Promise.reject(error), close: () => Promise.resolve() }) as unknown as Pool;

test.each([
  { error: new JobMemoryError('Too much memory'), code: 'extraction_too_large', times: 1 },
  { error: new JobTimeoutError('Too long'), code: 'extraction_timeout', times: 1 },
  { error: new MissingResourceError('ocr-deu'), code: 'model_missing', times: 1 },
  { error: new MissingResourceError('ffmpeg'), code: 'ffmpeg_missing', times: 1 },
  { error: new ChildEndedError('Killed'), code: 'stage_crashed', times: 3 },
])('a job that ends with $error fails the document as $code at delivery $times', async ({ error, code, times }) => {
  const pool = failingPool(error);
  const run = jest.spyOn(pool, 'run');
  pipeline = await openPipeline({ pool, intercept: redelivered });
  const id = await pipeline.add('<p>The kettle is in the blue cupboard.</p>');
  await pipeline.event(id, 'ProcessingFailed');
  expect(await pipeline.documents.load(SCOPE, id)).toMatchObject({
    stage: 'failed',
    // Each says what to do.
    error: { code, message: expect.stringMatching(/\. (Split|Save|Install) /) },
  });
  expect(run).toHaveBeenCalledTimes(times);
});

test('a document that lacks a resource fails, and is processed by itself, once, when the resource is there', async () => {
  let isHere = false;
  const folder = await mkdtemp(join(tmpdir(), 'mneme-lacking-'));
  const children = new Pool({ folder });
  const run: Pool['run'] = (job, use) =>
    isHere ? children.run(job, use) : Promise.reject(new MissingResourceError('ocr-deu'));
  const pool = { run, close: () => children.close() } as unknown as Pool;
  pipeline = await openPipeline({ pool, hasResource: async () => isHere, timing: { lookEvery: 20 } });
  const id = await pipeline.add('<p>The kettle is in the blue cupboard.</p>');
  await pipeline.event(id, 'ProcessingFailed');
  expect(await pipeline.documents.load(SCOPE, id)).toMatchObject({
    stage: 'failed',
    error: { code: 'model_missing', resource: 'ocr-deu' },
  });
  isHere = true;
  await pipeline.event(id, 'DocumentIndexed');
  const events = await pipeline.documents.events(SCOPE, id);
  const types = events.ok ? events.value.map(({ envelope }) => envelope.type) : [];
  expect(types.filter((type) => type === 'ProcessingRestarted')).toHaveLength(1);
  await rm(folder, { recursive: true });
});

test('a URL that may not be fetched fails with a reason', async () => {
  pipeline = await openPipeline();
  const id = await pipeline.add('http://192.0.2.1/page');
  await pipeline.event(id, 'ProcessingFailed');
  expect(await pipeline.documents.load(SCOPE, id)).toMatchObject({
    stage: 'failed',
    error: { code: 'fetch_refused' },
  });
});

test('one document of another tag is done before 50 of 5,000 documents queued first', async () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  pipeline = await openPipeline({ intercept: (_work, _message, run) => gate.then(run) });
  const busy = await Promise.all(Array.from({ length: 5_000 }, (_, i) => pipeline.add(`Note number ${i}.`, 'busy')));
  const single = await pipeline.add('Only one.', 'single');
  await until(
    () => pipeline.load.unfinished,
    (count) => count >= 5_001,
  );
  open();
  await pipeline.event(single, 'DocumentIndexed');
  const indexed = new Set<string>();
  let after = null as Awaited<ReturnType<typeof pipeline.store.head>>;
  for (let end = false; !end; ) {
    const slice = await pipeline.store.readAll({ after, limit: 10_000, filter: { types: ['DocumentIndexed'] } });
    for (const { stream } of slice.events) indexed.add(stream);
    after = slice.position;
    end = slice.end;
    if ([...indexed].some((stream) => stream.endsWith(single))) break;
  }
  const before = [...indexed].findIndex((stream) => stream.endsWith(single));
  expect(before).toBeLessThan(50);
  expect(busy).toHaveLength(5_000);
});

const TURNS = 200;

test('limits in flight follow the number of workers, per tag and in total', async () => {
  const held: { readonly id: string; readonly tag: string; readonly go: () => void }[] = [];
  const tags = new Map<string, string>();
  pipeline = await openPipeline({
    intercept: (work, { documentId }, run) =>
      work === 'index'
        ? run()
        : new Promise<void>((resolve) => {
            held.push({ id: documentId, tag: tags.get(documentId) as string, go: () => resolve(run()) });
          }),
  });
  const { bus } = pipeline;
  bus.down = true;
  for (const tag of ['a', 'b', 'c']) {
    for (let i = 0; i < 120; i += 1) tags.set(await pipeline.add(`Note ${i} of ${tag}.`, tag), tag);
  }
  await until(
    () => pipeline.load.unfinished,
    (count) => count >= 360,
  );
  bus.down = false;
  const inFlight = async (count: number) => {
    await until(
      () => held.length,
      (length) => length >= count,
    );
    // Further dispatches happen within the next turns of the event loop.
    for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate);
    return held.length;
  };
  const one = await inFlight(1);
  const most = (tag: string) => held.filter((each) => each.tag === tag).length;
  expect(most('a')).toBeLessThanOrEqual(one / 2);
  bus.setWorkers(3);
  expect(await inFlight(3 * one)).toBe(3 * one);
  expect(most('a')).toBeLessThanOrEqual((3 * one) / 2);
  bus.setWorkers(1);
  const released = held.splice(0, one);
  for (const { go } of released) go();
  for (const { id } of released) await pipeline.event(id, 'DocumentIndexed');
  // Two thirds of the work of three workers still exceed the limit of one.
  expect(held).toHaveLength(2 * one);
  expect(bus.seen.filter(({ work }) => work === 'extract')).toHaveLength(3 * one);
});

/** Views that reject documents of one path: rows with units, or all rows. */
function rejectingWriter(writer: ViewsWriter, rejects: 'units' | 'rows'): ViewsWriter {
  return {
    checkpoint: () => writer.checkpoint(),
    positions: () => writer.positions(),
    report: (...args) => writer.report(...args),
    vectorSpace: () => writer.vectorSpace(),
    close: () => writer.close(),
    leaveOut: (rows) => writer.leaveOut(rows),
    building: () => writer.building(),
    build: (...args) => writer.build(...args),
    apply: async (changes, checkpoint) => {
      const rows = changes.flatMap((change) => {
        if (change.kind !== 'upsert' || (rejects === 'units' && change.units === undefined)) return [];
        const { organization, id, filepath } = change.row;
        return filepath === 'bad' ? [{ organization, id, reason: 'no such field' }] : [];
      });
      if (rows.length > 0) throw new RowRejectedError(rows);
      await writer.apply(changes, checkpoint);
    },
  };
}

test.each(['units', 'rows'] as const)(
  'documents whose %s the views reject fail and do not block others',
  async (rejects) => {
    pipeline = await openPipeline({ writer: (writer) => rejectingWriter(writer, rejects) });
    const ids = await Promise.all(
      Array.from({ length: 40 }, (_, i) => pipeline.add(`Note ${i} on kettles.`, 't', i % 10 === 3 ? 'bad' : null)),
    );
    const bad = ids.filter((_, i) => i % 10 === 3);
    for (const id of ids) await pipeline.event(id, bad.includes(id) ? 'ProcessingFailed' : 'DocumentIndexed');
    for (const id of bad) {
      expect(await pipeline.documents.load(SCOPE, id)).toMatchObject({
        stage: 'failed',
        error: { stage: 'indexing', code: 'views_rejected', message: expect.stringContaining('no such field') },
      });
      expect(await typesOf(id)).not.toContain('DocumentIndexed');
    }
    expect((await search('kettles')).length).toBeGreaterThan(0);
    // The views show these documents as far as they accept them.
    const shown = await pipeline.reader.documents(scope, bad);
    expect(shown.map(({ stage }) => stage)).toEqual(rejects === 'units' ? bad.map(() => 'failed') : []);
  },
);

/** Too long for an event, so that its content is in a blob. */
const LONG = `${'Kettles are kept warm in winter. '.repeat(2_000)} The last one whistles.`;

async function expectLost(id: string, reason: string): Promise<void> {
  const [row] = await pipeline.reader.documents(scope, [id]);
  const error = { stage: 'indexing', code: 'content_missing', message: expect.stringContaining(reason) };
  expect(row).toMatchObject({ stage: 'failed', error, tags: ['t'] });
  expect((await typesOf(id)).filter((type) => type === 'ProcessingFailed')).toHaveLength(1);
}

const found = async (question: string) => [...new Set((await search(question)).map(({ document }) => document.id))];

test('a document with lost blobs fails in a rebuild without blocking others, and recovers when the blobs return', async () => {
  pipeline = await openPipeline();
  const [long, short] = [await pipeline.add(LONG), await pipeline.add('A short note on kettles.')];
  for (const id of [long, short]) await pipeline.event(id, 'DocumentIndexed');
  await pipeline.close({ keep: true });
  const { folder } = pipeline;
  const [blobs, saved] = [join(folder, 'blobs', ORGANIZATION), join(folder, 'saved')];
  await cp(blobs, saved, { recursive: true });
  await rm(blobs, { recursive: true });
  await removeViews(folder);

  pipeline = await openPipeline({ folder });
  const later = await pipeline.add('A later note on kettles.');
  await pipeline.event(later, 'DocumentIndexed');
  await expectLost(long, 'the blob');
  expect((await found('kettles')).sort()).toEqual([short, later].sort());
  expect(pipeline.faults).not.toEqual([]);
  await pipeline.close({ keep: true });
  await removeViews(folder);

  // The loss is recorded: another rebuild neither waits for the blob nor records it again.
  pipeline = await openPipeline({ folder });
  await pipeline.event(await pipeline.add('One more.'), 'DocumentIndexed');
  await expectLost(long, 'the blob');
  expect(pipeline.faults).toEqual([]);

  await cp(saved, blobs, { recursive: true });
  expect(await pipeline.documents.change(SCOPE, long, cause(), decideRestart)).toMatchObject({ ok: true });
  await pipeline.event(long, 'DocumentIndexed', 2);
  expect(await found('whistles')).toEqual([long]);
});

/** A blob store whose first reads of a document's blobs fail as missing. */
function missingAtFirst(blobs: BlobStore, times: number): BlobStore & { asked: number } {
  return {
    asked: 0,
    put: (key, bytes) => blobs.put(key, bytes),
    putFile: (key, path) => blobs.putFile(key, path),
    delete: (key) => blobs.delete(key),
    deletePrefix: (prefix) => blobs.deletePrefix(prefix),
    removeInterrupted: (signal) => blobs.removeInterrupted(signal),
    listFolders: () => blobs.listFolders(),
    listFoldersWith: (name) => blobs.listFoldersWith(name),
    size: (key) => blobs.size(key),
    stream: (key) => blobs.stream(key),
    filePath: (key) => blobs.filePath(key),
    async get(key) {
      this.asked += 1;
      return this.asked > times ? blobs.get(key) : null;
    },
  };
}

test('a late blob is awaited for a limited time', async () => {
  pipeline = await openPipeline({ projectedBlobs: (blobs) => missingAtFirst(blobs, 2) });
  const id = await pipeline.add(LONG);
  await pipeline.event(id, 'DocumentIndexed');
  expect(await found('whistles')).toEqual([id]);
  expect(await typesOf(id)).not.toContain('ProcessingFailed');
  expect(pipeline.faults).not.toEqual([]);
  await pipeline.close();

  pipeline = await openPipeline({ projectedBlobs: (blobs) => missingAtFirst(blobs, 1_000) });
  const lost = await pipeline.add(LONG);
  const other = await pipeline.add('A short note on kettles.');
  await pipeline.event(lost, 'ProcessingFailed');
  await pipeline.event(other, 'DocumentIndexed');
  expect(await typesOf(lost)).not.toContain('DocumentIndexed');
  expect(await found('kettles')).toEqual([other]);
});

/** In a blob too, and short enough to be read without a child process. */
const SHORT_BLOB = 'Kettles are kept warm in winter. '.repeat(950);

test('views stop when more than ten documents lose content at once, until it is back or the loss is accepted', async () => {
  pipeline = await openPipeline();
  const ids: string[] = [];
  for (let i = 0; i < 12; i += 1) ids.push(await pipeline.add(`Number ${i}. ${SHORT_BLOB}`));
  for (const id of ids) await pipeline.event(id, 'DocumentIndexed');
  await pipeline.close({ keep: true });
  const { folder } = pipeline;
  const [blobs, saved] = [join(folder, 'blobs', ORGANIZATION), join(folder, 'saved')];
  await cp(blobs, saved, { recursive: true });
  const loseAll = async () => {
    await rm(blobs, { recursive: true });
    await removeViews(folder);
    pipeline = await openPipeline({ folder });
    await eventually(async () => pipeline.documents.losses.suspension());
    expect(await pipeline.documents.losses.suspension()).toMatchObject({ documents: 12 });
  };
  const failed = async () => (await Promise.all(ids.map(typesOf))).flat().filter((type) => type === 'ProcessingFailed');

  await loseAll();
  expect([await failed(), await found('kettles')]).toEqual([[], []]);
  await cp(saved, blobs, { recursive: true });
  const rows = () => pipeline.reader.documents(scope, ids);
  await eventually(async () => ((await rows()).filter(({ stage }) => stage === 'done').length === 12 ? true : null));
  await eventually(async () => ((await pipeline.documents.losses.suspension()) === null ? true : null));
  expect(await failed()).toEqual([]);
  await pipeline.close({ keep: true });

  await loseAll();
  expect(await pipeline.documents.losses.accept()).toBe(true);
  for (const id of ids) await pipeline.event(id, 'ProcessingFailed');
  await eventually(async () => ((await rows()).filter(({ stage }) => stage === 'failed').length === 12 ? true : null));
  expect(await pipeline.documents.losses.accept()).toBe(false);
});

test('stages do not fail more than ten documents that lose content at once', async () => {
  pipeline = await openPipeline({ intercept: async () => {} });
  const { losses } = pipeline.documents;
  const [first, second] = [await pipeline.add(SHORT_BLOB), await pipeline.add(`Second. ${SHORT_BLOB}`)];
  const blobs = join(pipeline.folder, 'blobs', ORGANIZATION);
  const saved = join(pipeline.folder, 'saved');
  await cp(blobs, saved, { recursive: true });
  await rm(blobs, { recursive: true });
  const extract = (documentId: string) => {
    const message = { organization: ORGANIZATION, documentId, contentVersion: 1, caller: 'a', attempt: 1, cause: null };
    return pipeline.stages.run('extract', message, 3);
  };
  await losses.admit(9, 'stages');
  await extract(first);
  expect(await typesOf(first)).toEqual(['DocumentAdded', 'ProcessingFailed']);
  await expect(extract(second)).rejects.toMatchObject({ code: 'content_loss_suspended', kind: 'transient' });
  expect(await losses.suspension()).toMatchObject({ documents: 1 });

  await cp(saved, blobs, { recursive: true });
  await extract(second);
  const formed = ['ContentExtracted', 'ContentChunked', 'MemoriesFormed', 'SummaryFormed'];
  expect(await typesOf(second)).toEqual(['DocumentAdded', ...formed]);
  expect(await losses.suspension()).toBeNull();
});

test('a document with a lost stream key fails without blocking others, and recovers when the key returns', async () => {
  database = await TestDatabase.start();
  const { keys } = database;
  pipeline = await openPipeline({ store: await database.client() });
  const [sealed, other] = [await pipeline.add('The sealed kettle.'), await pipeline.add('The open kettle.')];
  for (const id of [sealed, other]) await pipeline.event(id, 'DocumentIndexed');
  await pipeline.close({ keep: true });
  const { folder } = pipeline;
  await removeViews(folder);
  const lost = keys.namesOf(documentStream(ORGANIZATION, sealed)).map((name) => {
    const secret = keys.held.get(name) as Uint8Array;
    keys.held.delete(name);
    return [name, secret] as const;
  });

  pipeline = await openPipeline({ folder, store: await database.client() });
  const later = await pipeline.add('A later kettle.');
  await pipeline.event(later, 'DocumentIndexed');
  await expectLost(sealed, 'the key');
  expect((await found('kettle')).sort()).toEqual([other, later].sort());
  await pipeline.close({ keep: true });

  for (const [name, secret] of lost) keys.held.set(name, secret);
  pipeline = await openPipeline({ folder, store: await database.client() });
  expect(await pipeline.documents.change(SCOPE, sealed, cause(), decideRestart)).toMatchObject({ ok: true });
  await pipeline.event(sealed, 'DocumentIndexed', 2);
  expect(await found('sealed')).toEqual([sealed]);
});
