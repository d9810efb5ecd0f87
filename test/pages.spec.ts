import { documentStream } from '#documents';
import { openFetch } from '#fetch';
import { systemScope } from '#kernel';
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
  expect(await pipeline.documents.load(SCOPE, id)).toMatchObject({ stage: 'failed', error: { code: 'fetch_failed' } });
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
  const postponed = events.filter(({ envelope }) => envelope.type === 'FetchPostponed');
  expect(postponed.map(({ envelope }) => envelope.attempt)).toEqual([1, 2]);
});

test('what cannot pass is tried once', async () => {
  pipeline = await openPipeline({ fetchPauses: PAUSES });
  const id = await pipeline.add(site.url('/nowhere'));
  await pipeline.event(id, 'ProcessingFailed');
  expect(site.asked.filter((path) => path === '/nowhere')).toHaveLength(1);
});

test('a fetch that waits for its next try keeps no place of the stage', async () => {
  pipeline = await openPipeline({ fetchPauses: [3_600_000] });
  site.pages['/busy'] = (_request, response) => response.writeHead(503).end();
  const id = await pipeline.add(site.url('/busy'));
  await pipeline.event(id, 'FetchPostponed');
  const done = await pipeline.add('A heron stands in the reeds.');
  await pipeline.event(done, 'DocumentIndexed');
  expect(pipeline.manager.queues().find(({ stage }) => stage === 'extract')).toMatchObject({ waiting: 0, inFlight: 0 });
  expect(pipeline.load.unfinished).toBeGreaterThan(0);
});
