import { Cluster } from './support/cluster.ts';
import { eventually, type Mneme } from './support/mneme.ts';
import { article, openSite, page } from './support/site.ts';

/** Connections on distributed engines: API processes take the requests, and workers share the syncs. */

const PAGES = 60;
/** What a killed worker had in hand is given to another one after 30 s. */
const SLOW = 150_000;

let cluster: Cluster;
let api: Mneme;
let other: Mneme;
beforeAll(async () => {
  cluster = await Cluster.start({ env: { MNEME_FETCH_LOOPBACK: 'on' } });
  [api, other] = await Promise.all([cluster.start('api'), cluster.start('api')]);
});
afterAll(() => cluster?.stop());

let site: Awaited<ReturnType<typeof openSite>>;
const workers: Mneme[] = [];
const startWorker = async () => {
  const worker = await cluster.start('worker');
  workers.push(worker);
  return worker;
};
afterEach(async () => {
  site.close();
  await Promise.all(workers.splice(0).map((worker) => worker.kill('SIGTERM')));
});

interface Run {
  readonly status: string;
  readonly itemsProcessed: number;
  readonly itemsFound: number;
  readonly error: string | null;
}

interface Listed {
  readonly memories: readonly { readonly filepath: string; readonly status: string }[];
}

async function connect(tag: string): Promise<string> {
  const body = { containerTag: tag, metadata: { startUrl: site.url('/guide/') } };
  const created = await api.post<{ id: string }>('/v3/connections/web-crawler', body);
  expect(created).toMatchObject({ status: 200, body: { id: expect.any(String) } });
  return created.body.id;
}

/** The last of so many syncs that have ended. */
const ended = (id: string, count: number): Promise<Run> =>
  eventually(async () => {
    const { status, body } = await other.get<readonly Run[]>(`/v3/connections/${id}/sync-runs`);
    return (status === 200 && body.filter(({ status }) => status !== 'running').length === count && body[0]) || null;
  }, SLOW);

/** The paths of the documents, as soon as all are processed and they are so many. */
const processed = (process: Mneme, tag: string, count: number): Promise<readonly string[]> =>
  eventually(async () => {
    const { memories } = (await process.post<Listed>('/v3/documents/list', { containerTags: [tag], limit: 100 })).body;
    const isDone = memories.length === count && memories.every(({ status }) => status === 'done');
    return isDone ? memories.map(({ filepath }) => filepath).sort() : null;
  }, SLOW);

async function sync(tag: string): Promise<void> {
  const asked = await other.post('/v3/connections/web-crawler/import', { containerTags: [tag] });
  expect(asked.status).toBe(202);
}

const memoryFor = (process: Mneme, q: string, containerTag: string): Promise<string> =>
  eventually(async () => {
    const { status, body } = await process.post('/v4/search', { q, containerTag, searchMode: 'documents' });
    return status === 200 ? JSON.stringify(body) : null;
  });

/** The streams of the events of a type, from a place in the log on: one for each event. */
const streamsWith = (type: string, from: number): readonly string[] =>
  cluster.log.log.all.slice(from).flatMap((event) => (event.type === type ? event.stream : []));

const linkTo = (...paths: readonly string[]) => paths.map((path) => `<a href="${path}">more</a>`).join('');
const withLinks = (sentence: string, ...paths: readonly string[]) => page(article(sentence + linkTo(...paths)));

test('documents follow their source whichever worker syncs it, and a deleted connection is gone everywhere', async () => {
  site = await openSite({
    '/guide/': withLinks('The crane is made of oak.', '/guide/tides', '/guide/keys'),
    '/guide/tides': withLinks('The tide is highest at noon.'),
    '/guide/keys': withLinks('The keeper of the keys is called Jonas.'),
  });
  await Promise.all([startWorker(), startWorker()]);
  const id = await connect('harbour');
  expect(await ended(id, 1)).toMatchObject({ status: 'completed', itemsProcessed: 3 });
  for (const one of [api, other]) {
    expect(await processed(one, 'harbour', 3)).toEqual(['/guide/', '/guide/keys', '/guide/tides']);
  }
  expect(site.asked.filter((path) => path === '/guide/tides')).toHaveLength(1);

  site.pages['/guide/'] = withLinks('The crane is made of oak.', '/guide/tides');
  site.pages['/guide/tides'] = withLinks('The tide is highest at midnight.');
  await sync('harbour');
  expect(await ended(id, 2)).toMatchObject({ status: 'completed' });
  for (const one of [api, other]) {
    expect(await processed(one, 'harbour', 2)).toEqual(['/guide/', '/guide/tides']);
    expect(await memoryFor(one, 'tide', 'harbour')).toContain('midnight');
  }

  expect((await other.request('DELETE', `/v3/connections/${id}`)).status).toBe(200);
  for (const one of [api, other]) {
    await eventually(async () => ((await one.get(`/v3/connections/${id}`)).status === 404 ? true : null));
    expect(await processed(one, 'harbour', 0)).toEqual([]);
    expect((await one.post('/v3/connections/list', {})).body).toEqual([]);
  }
  await eventually(async () =>
    streamsWith('ConnectionErased', 0).some((stream) => stream.includes(id)) ? true : null,
  );
});

/** What happens while a sync waits for its last page, as long as nobody calls `answer`. */
const EVENTS: Readonly<Record<string, (worker: Mneme, answer: () => void) => Promise<unknown>>> = {
  'its worker is killed': async (worker, answer) => {
    await startWorker();
    answer();
    await worker.kill('SIGKILL');
  },
  'its worker is stopped': async (worker, answer) => {
    await startWorker();
    await worker.kill('SIGTERM');
    answer();
  },
  'the log is away': async (worker, answer) => {
    await cluster.log.stop();
    answer();
    await eventually(async () => ((await worker.get('/v3/health')).body.status === 'degraded' ? true : null));
    await cluster.log.start();
  },
};

test.each(Object.entries(EVENTS))(
  'a sync goes on when %s, and every document is processed once',
  async (name, happen) => {
    const tag = name.replaceAll(' ', '-');
    const numbers = Array.from({ length: PAGES - 2 }, (_, i) => i);
    const [last, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    site = await openSite({
      '/guide/': withLinks('All is here.', ...numbers.map((n) => `/guide/${n}`), '/guide/last'),
      ...Object.fromEntries(numbers.map((n) => [`/guide/${n}`, withLinks(`Note ${n} is about lamps.`)])),
      '/guide/last': (request, response) => {
        asked.resolve();
        void last.promise.then(() => withLinks('The last page is about gulls.')(request, response));
      },
    });
    const from = cluster.log.log.all.length;
    const worker = await startWorker();
    const id = await connect(tag);
    await asked.promise;
    await happen(worker, last.resolve);
    expect(await ended(id, 1)).toMatchObject({ status: 'completed', itemsFound: PAGES });
    expect(new Set(await processed(other, tag, PAGES)).size).toBe(PAGES);
    for (const type of ['DocumentAdded', 'DocumentIndexed']) {
      const streams = streamsWith(type, from);
      expect([type, streams.length, new Set(streams).size]).toEqual([type, PAGES, PAGES]);
    }
    expect(streamsWith('ContentReplaced', from)).toEqual([]);
  },
);
