import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentDeletion, documentStream, KeptReadings } from '#features/documents';
import { type Job, type JobResult, Pool } from '#platform/child-jobs';
import { openFetch } from '#platform/fetch';
import { systemScope } from '#platform/kernel';
import { pageOf } from '../libs/processing/extraction/src/testing/pictures.ts';
import { eventually } from './support/mneme.ts';
import { ORGANIZATION, openPipeline } from './support/pipeline.ts';
import { article, openSite, page } from './support/site.ts';

/** Fetches that fail for a while, and pages whose fetch never ends, without HTTP. */

const SCOPE = systemScope(ORGANIZATION);
let site: Awaited<ReturnType<typeof openSite>>;
let pipeline: Awaited<ReturnType<typeof openPipeline>>;
beforeAll(async () => {
  site = await openSite({ '/lamp': page(article('The lamp burns oil.')) });
});
afterEach(() => pipeline.close());
afterAll(() => site.close());

const PAUSES = [10, 10, 10, 10];

test('a site that does not answer is tried five times, and the fifth failure ends the document', async () => {
  pipeline = await openPipeline({ fetchPauses: PAUSES });
  site.pages['/busy'] = (_request, response) => response.writeHead(503, { 'Retry-After': '0' }).end();
  const id = await pipeline.add(site.url('/busy'));
  await pipeline.event(id, 'ProcessingFailed');
  expect(site.asked.filter((path) => path === '/busy')).toHaveLength(5);
  expect(await pipeline.documents.load(SCOPE, id)).toMatchObject({
    ...{ stage: 'failed', retry: null },
    error: { code: 'fetch_failed', message: 'The address answered with status 503. Add it again later.' },
  });
});

test('a name that is resolved at the third try is fetched then', async () => {
  let asked = 0;
  const resolver = async () => {
    asked += 1;
    if (asked < 3) throw Object.assign(new Error('try again'), { code: 'EAI_AGAIN' });
    return ['127.0.0.1'];
  };
  const fetch = openFetch({ allow: [], loopback: true, proxy: null, resolver });
  pipeline = await openPipeline({ fetch, fetchPauses: PAUSES });
  const id = await pipeline.add(site.url('/lamp').replace('127.0.0.1', 'site.test'));
  await pipeline.event(id, 'DocumentIndexed');
  const { events } = await pipeline.store.readStream(documentStream(ORGANIZATION, id));
  const postponed = events.filter(({ envelope }) => envelope.type === 'FetchDelayed');
  expect(postponed.map(({ envelope }) => envelope.attempt)).toEqual([1, 2]);
});

test('a name that does not exist is tried once more, and the document says so until then', async () => {
  const unknown = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  const fetch = openFetch({ allow: [], loopback: true, proxy: null, resolver: () => Promise.reject(unknown) });
  pipeline = await openPipeline({ fetch, fetchPauses: PAUSES });
  const id = await pipeline.add('http://site.test/');
  await pipeline.event(id, 'ProcessingFailed');
  const { events } = await pipeline.store.readStream(documentStream(ORGANIZATION, id));
  const delayed = events.flatMap(({ envelope, payload }) => (envelope.type === 'FetchDelayed' ? [payload] : []));
  expect(delayed).toEqual([{ message: 'The name site.test does not exist. Check the address.' }]);
  expect(await pipeline.documents.load(SCOPE, id)).toMatchObject({
    ...{ stage: 'failed', retry: null },
    error: { code: 'fetch_failed', message: 'The name site.test does not exist. Check the address.' },
  });
});

test('what cannot pass is tried once', async () => {
  pipeline = await openPipeline({ fetchPauses: PAUSES });
  const id = await pipeline.add(site.url('/nowhere'));
  await pipeline.event(id, 'ProcessingFailed');
  expect(site.asked.filter((path) => path === '/nowhere')).toHaveLength(1);
});

test('recordings and pictures that wait for their turn keep no other document waiting', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'mneme-long-work-'));
  const children = new Pool({ folder: scratch });
  const never = new Promise<never>(() => {});
  const isQuick = ({ params }: Job) => (params as { task: string }).task !== 'read-pictures';
  const pool = {
    run: (job: Job, use: (result: JobResult) => Promise<unknown>) => (isQuick(job) ? children.run(job, use) : never),
    close: () => children.close(),
  } as unknown as Pool;
  pipeline = await openPipeline({ pool, slowPool: { run: () => never } });
  const sound = Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1');
  const picture = await pageOf([], { width: 20, height: 20 }).png().toBuffer();
  const ids: string[] = [];
  site.pages['/talk.wav'] = page(sound, { 'Content-Type': 'audio/wav' });
  site.pages['/sign.png'] = page(picture, { 'Content-Type': 'image/png' });
  // More than the stage takes of a tag at once.
  for (let i = 0; i < 17; i += 1) {
    ids.push(await pipeline.add(site.url('/talk.wav')), await pipeline.add(site.url('/sign.png')));
  }
  for (const id of ids) await pipeline.event(id, 'ExtractionDeferred');
  for (const content of ['A heron stands in the reeds.', site.url('/lamp')]) {
    await pipeline.event(await pipeline.add(content), 'DocumentIndexed');
  }
  const queueOf = (name: string) => pipeline.manager.queues().find(({ stage }) => stage === name);
  expect(queueOf('extract')).toMatchObject({ waiting: 0, inFlight: 0 });
  expect(queueOf('transcribe')).toMatchObject({ waiting: 16, inFlight: 1 });
  expect(queueOf('recognize')).toMatchObject({ waiting: 15, inFlight: 2 });
  await rm(scratch, { recursive: true, force: true });
});

test('the deletion of a scan that is being read leaves nothing of it', async () => {
  const isEnded = Promise.withResolvers<void>();
  const pool = {
    run: async (job: Job, use: (result: JobResult) => Promise<unknown>) => {
      const { task } = job.params as { task: string };
      if (task !== 'read-pictures') {
        return use({ answer: { outcome: 'pictures', kind: 'pdf', names: ['1', '2', '3'] }, output: '' });
      }
      job.onReport?.(['1', 'The words of the first page.']);
      await once(job.signal as AbortSignal, 'abort');
      isEnded.resolve();
      throw job.signal?.reason;
    },
    close: async () => {},
  } as unknown as Pool;
  pipeline = await openPipeline({ pool, lookEvery: 20 });
  site.pages['/scan.pdf'] = page('%PDF-1.7', { 'Content-Type': 'application/pdf' });
  const id = await pipeline.add(site.url('/scan.pdf'));
  const readings = new KeptReadings(pipeline.blobs);
  const document = { organization: ORGANIZATION, id, contentVersion: 1 };
  const progress = await eventually(async () => (await readings.head(document))?.progress ?? null);
  expect(progress).toEqual({ done: 1, total: 3, unit: 'pages' });
  const cause = { actor: 'key:test', correlationId: id, causationId: null };
  expect((await new DocumentDeletion(pipeline.documents).delete(SCOPE, cause, id)).ok).toBe(true);
  await isEnded.promise;
  // The end of the stage, behind which nothing is written.
  await eventually(async () => (pipeline.erased.includes(id) ? true : null));
  expect(await Array.fromAsync(pipeline.blobs.listFolders())).toEqual([]);
});

test('a fetch that waits for its next try keeps no place of the stage', async () => {
  pipeline = await openPipeline({ fetchPauses: [3_600_000] });
  site.pages['/busy'] = (_request, response) => response.writeHead(503).end();
  const id = await pipeline.add(site.url('/busy'));
  await pipeline.event(id, 'FetchDelayed');
  const done = await pipeline.add('A heron stands in the reeds.');
  await pipeline.event(done, 'DocumentIndexed');
  expect(pipeline.manager.queues().find(({ stage }) => stage === 'extract')).toMatchObject({ waiting: 0, inFlight: 0 });
  expect(pipeline.load.unfinished).toBeGreaterThan(0);
});
