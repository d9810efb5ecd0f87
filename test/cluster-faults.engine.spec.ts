import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connectNats } from '#platform/nats';
import { startNatsServer } from '../libs/platform/nats/src/testing/nats-server.ts';
import { addressOf } from './support/addresses.ts';
import { Adds, endsOf, eventsOf, expectAllDoneOnce, expectUnavailable, settledWithin } from './support/adds.ts';
import { Cluster, type ClusterOptions, TcpProxy } from './support/cluster.ts';
import { inParallel } from './support/load.ts';
import { type Answer, eventually, Mneme, whileItLasts } from './support/mneme.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const cluster = await Cluster.start(options);
  cleanups.push(() => cluster.stop());
  return cluster;
}

const expectAlive = ({ processes }: Cluster) => expect(processes.filter(({ running }) => !running)).toEqual([]);

/** Removes all work from NATS by deleting its streams. */
async function wipeWork(url: string, prefix: string): Promise<void> {
  const connection = await connectNats({ url, name: 'test' });
  try {
    for (const stage of ['EXTRACT', 'RECOGNIZE', 'TRANSCRIBE', 'CHUNK', 'EMBED', 'INDEX']) {
      await connection.request(`$JS.API.STREAM.DELETE.${prefix.toUpperCase()}_WORK_${stage}`, '', { timeout: 60_000 });
    }
  } finally {
    await connection.close();
  }
}

/** A text with a long processing time. */
const LONG = `${'A sentence about nothing that goes on for a while and then ends. '.repeat(12_000)}`;

test('other workers take over from a worker killed in any stage, and every document is done once', async () => {
  const cluster = await startCluster();
  const api = await cluster.start('api');
  const adds = new Adds(api);
  const extracting = ['DocumentAdded', 'StageStarted'];
  const chunking = [...extracting, 'ContentExtracted', 'StageStarted'];
  const indexing = [...chunking, 'ContentChunked', 'MemoriesFormed'];
  for (const stage of [extracting, chunking, indexing]) {
    const worker = await cluster.start('worker');
    const before = adds.acknowledged.size;
    const adding = adds.several(8, 4, (i) => (i % 4 === 0 ? LONG : ''));
    await whileItLasts(async () => {
      const ids = [...adds.acknowledged.keys()].slice(before);
      const found = await Promise.all(ids.map((id) => eventsOf(api, id)));
      // The summary is formed beside the other stages, so its event has no fixed place.
      const reached = found.map((types) => types.filter((type) => type !== 'SummaryFormed').join());
      return reached.includes(stage.join()) ? true : null;
    });
    await worker.kill('SIGKILL');
    await adding;
  }
  const survivors = [await cluster.start('worker'), await cluster.start('worker')];
  expect(adds.refused).toEqual([]);
  await expectAllDoneOnce(api, adds);
  expect(survivors.every(({ running }) => running)).toBe(true);
});

test('a NATS outage of 30 s under load, with all work lost, only delays documents', async () => {
  const nats = await startNatsServer();
  cleanups.push(() => nats.remove());
  const cluster = await startCluster({ natsUrl: nats.url });
  const [api] = await Promise.all([cluster.start('api'), cluster.start('worker'), cluster.start('worker')]);
  const adds = new Adds(api);
  let loaded = true;
  const load = adds.while(() => loaded);
  await eventually(async () => (adds.acknowledged.size > 50 ? true : null));
  await nats.kill();
  const streams = join(nats.folder, 'data', 'jetstream', '$G', 'streams');
  const works = (await readdir(streams)).filter((name) => name.includes('_WORK_'));
  expect(works.length).toBeGreaterThan(0);
  for (const name of works) await rm(join(streams, name), { recursive: true });
  await new Promise((resolve) => setTimeout(resolve, 30_000));
  await nats.restart();
  const { size } = adds.acknowledged;
  await eventually(async () => (adds.acknowledged.size > size + 20 ? true : null));
  loaded = false;
  await load;
  expect(adds.refused.length).toBeGreaterThan(0);
  for (const refusal of adds.refused) expectUnavailable(refusal);
  await expectAllDoneOnce(api, adds);
  expectAlive(cluster);
});

describe('a cluster goes on by itself', () => {
  let openSearch: TcpProxy;
  let cluster: Cluster;
  let api: Mneme;
  beforeAll(async () => {
    openSearch = await TcpProxy.start(addressOf('MNEME_TEST_OPENSEARCH_URL'));
    cluster = await Cluster.start({ openSearchUrl: openSearch.url });
    [api] = await Promise.all([cluster.start('api'), cluster.start('worker')]);
  });
  afterEach(() => openSearch.open());
  afterAll(async () => {
    await cluster.stop();
    await openSearch.cut();
  });

  test('without OpenSearch adds succeed and searches return 503; after its return all documents are found', async () => {
    const adds = new Adds(api, 'Quoll');
    await adds.several(15, 4);
    await openSearch.cut();
    await adds.several(15, 4);
    expect(adds.refused).toEqual([]);
    expect(adds.acknowledged.size).toBe(30);
    const [id] = [...adds.acknowledged.keys()];
    for (const answer of [
      await api.post('/v3/search', { q: 'quoll' }),
      await api.post('/v4/search', { q: 'quoll' }),
      await api.post('/v3/documents/list', {}),
      await api.post('/v4/profile', { containerTag: 'faults' }),
      await api.get('/v3/documents/processing'),
    ]) {
      expectUnavailable(answer);
    }
    expect((await api.get(`/v3/documents/${id}`)).status).toBe(200);
    expect((await api.get('/v3/health')).status).toBe(200);
    await openSearch.open();
    await expectAllDoneOnce(api, adds);
    expectAlive(cluster);
  });

  test('event log connections cut during appends neither lose nor duplicate documents', async () => {
    const adds = new Adds(api, 'Bilby');
    let loaded = true;
    const load = adds.while(() => loaded, 8);
    for (let round = 1; round <= 6; round += 1) {
      await eventually(async () => (adds.acknowledged.size >= round * 20 ? true : null));
      cluster.log.cutNextAppends(...(['before', 'after', 'after', 'before'] as const).slice(round % 3));
    }
    // An outage longer than the timeout of requests.
    await cluster.log.stop();
    await eventually(async () => (adds.refused.length > 0 ? true : null));
    await cluster.log.start();
    const { size } = adds.acknowledged;
    await eventually(async () => (adds.acknowledged.size > size + 20 ? true : null));
    loaded = false;
    await load;
    for (const refusal of adds.refused) expectUnavailable(refusal);
    await expectAllDoneOnce(api, adds);
    expectAlive(cluster);
  });

  test('an unreadable message becomes a dead letter and does not block other work', async () => {
    const adds = new Adds(api, 'Dingo');
    await adds.add();
    const connection = await connectNats({ url: cluster.env.MNEME_NATS_URL as string, name: 'test' });
    const subject = `${cluster.prefix}.work.extract.unknown.document.1`;
    await connection.request(subject, 'not JSON');
    await connection.close();
    await adds.several(20, 4);
    await expectAllDoneOnce(api, adds);
    const listed = await eventually(async () => {
      const { out } = await cluster.cli('dead-letters', 'list', '--json');
      return out.includes(subject) ? out : null;
    });
    expect(listed).toContain('it is not JSON');
    expectAlive(cluster);
  });
});

test('a worker paused beyond its lease is replaced, and writes nothing when it resumes', async () => {
  const cluster = await startCluster();
  const api = await cluster.start('api');
  const workers = await Promise.all([cluster.start('worker'), cluster.start('worker')]);
  // Returns the writer of the checkpoint, or null without a checkpoint.
  const writer = async () => {
    const url = `${cluster.env.MNEME_OPENSEARCH_URL}/${cluster.prefix}-meta/_doc/checkpoint`;
    const { _source } = (await (await fetch(url)).json()) as { _source?: { holder: string; epoch: number } };
    return _source ? { pid: Number(_source.holder.split(' ')[1]), epoch: _source.epoch } : null;
  };
  const adds = new Adds(api);
  await adds.several(20, 8);
  const first = await eventually(async () => {
    const current = await writer();
    return workers.some(({ pid }) => pid === current?.pid) ? current : null;
  });
  process.kill(first.pid, 'SIGSTOP');
  let second: typeof first;
  try {
    second = await eventually(async () => {
      const current = await writer();
      return current?.pid === first.pid ? null : current;
    });
    await adds.several(10, 8);
  } finally {
    process.kill(first.pid, 'SIGCONT');
  }
  expect(second.epoch).toBeGreaterThan(first.epoch);
  await adds.several(10, 8);
  expect(adds.refused).toEqual([]);
  await expectAllDoneOnce(api, adds);
  expect(await writer()).toEqual(second);
  expect(await cluster.cli('replay', '--verify')).toMatchObject({
    code: 0,
    out: expect.stringContaining('No difference: 40'),
  });
  expectAlive(cluster);
});

test('a document that crashes every worker fails, and the others become done', async () => {
  const cluster = await startCluster();
  const api = await cluster.start('api');
  const form = new FormData();
  form.append('file', new Blob([`<html><body>${'<p>Poison.</p>'.repeat(1_000_000)}</body></html>`]), 'poison.html');
  const { status, body } = await api.post('/v3/documents/file', form);
  expect(status).toBe(200);
  const poison = body.id as string;
  const adds = new Adds(api);
  await adds.several(20, 4);
  const starts = async () => (await eventsOf(api, poison)).filter((type) => type === 'StageStarted').length;
  for (let round = 1; round <= 3; round += 1) {
    const worker = await cluster.start('worker');
    await whileItLasts(async () => ((await starts()) === round ? true : null));
    await worker.kill('SIGKILL');
    // Without the old work messages, the next worker gets the document immediately.
    await wipeWork(cluster.env.MNEME_NATS_URL as string, cluster.prefix);
  }
  await cluster.start('worker');
  expect((await api.settled(poison)).processingError ?? (await api.get(`/v3/documents/${poison}`)).body).toMatchObject({
    code: 'stage_crashed',
  });
  expect(await endsOf(api, poison)).toEqual(['ProcessingFailed']);
  for (const id of adds.acknowledged.keys()) {
    expect(await settledWithin(api, id, 100_000)).toBe('done');
    expect(await endsOf(api, id)).toEqual(['DocumentIndexed']);
  }
  const listed = await eventually(async () => {
    const { out } = await cluster.cli('dead-letters', 'list');
    return out.includes(poison) ? out : null;
  });
  expect(listed).toContain('stage_crashed');
});

test('two API processes together respect the rate limit', async () => {
  const LIMIT = 20;
  const env = { MNEME_RATE_LIMIT: `${LIMIT}/3600`, MNEME_LOG_LEVEL: 'warn' };
  const by = await eventually(async () => {
    const cluster = await startCluster({ env });
    const apis = await Promise.all([cluster.start('api'), cluster.start('api')]);
    const answers: Answer[] = [];
    await inParallel(
      Array.from({ length: 80 }, (_, i) => i),
      16,
      async (i) => {
        answers.push(await (apis[i % 2] as Mneme).get('/v3/documents/none'));
      },
    );
    // Where NATS answers late, as it may on a busy machine, each process has a limit of its own.
    const areAlone = apis.some(({ output }) => output.some((line) => line.includes('counts requests for itself')));
    return areAlone ? null : Map.groupBy(answers, ({ status }) => status);
  });
  expect([...by.keys()].sort()).toEqual([404, 429]);
  expect(by.get(404)).toHaveLength(LIMIT);
  for (const { headers } of by.get(429) as Answer[]) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
});
