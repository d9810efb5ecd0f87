import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connectNats } from '#nats';
import { startNatsServer } from '../libs/nats/src/testing/nats-server.ts';
import { addressOf } from './support/addresses.ts';
import { Cluster, type ClusterOptions, TcpProxy } from './support/cluster.ts';
import { inParallel } from './support/load.ts';
import { type Answer, eventually, Mneme } from './support/mneme.ts';

/** What breaks between processes and engines: nothing acknowledged is lost or doubled, and nobody has to restart anything. */

const TIMEOUT_MS = 240_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const cluster = await Cluster.start(options);
  cleanups.push(() => cluster.stop());
  return cluster;
}

/** What a client was told of its adds. */
class Adds {
  readonly acknowledged = new Map<string, string>();
  readonly refused: Answer[] = [];
  readonly #mneme: Mneme;
  #count = 0;

  constructor(mneme: Mneme) {
    this.#mneme = mneme;
  }

  /** Every second one with a customId. */
  async add(text = ''): Promise<void> {
    const i = this.#count;
    this.#count += 1;
    const content = `Numbat${i}x was here. ${text}`;
    const fields = { content, containerTag: 'faults', ...(i % 2 === 0 && { customId: `custom ${i}` }) };
    const answer = await this.#mneme.post('/v3/documents', fields);
    if (answer.status === 200) this.acknowledged.set(answer.body.id as string, `Numbat${i}x`);
    else this.refused.push(answer);
  }

  several(count: number, width: number, text: (i: number) => string = () => ''): Promise<void> {
    const items = Array.from({ length: count }, (_, i) => i);
    return inParallel(items, width, (i) => this.add(text(i)));
  }

  /** Several clients that add one after the other, as long as they are wanted. */
  async while(wanted: () => boolean, width = 4): Promise<void> {
    const client = async () => {
      while (wanted()) await this.add();
    };
    await Promise.all(Array.from({ length: width }, client));
  }
}

/** The refusal of the contract (§1.4) of something that passes by itself. */
function expectUnavailable({ status, body, headers }: Answer): void {
  expect({ status, body }).toMatchObject({
    status: 503,
    body: {
      code: 'unavailable',
      error: expect.any(String),
      message: expect.any(String),
      requestId: expect.any(String),
    },
  });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
}

/** The types of what happened to a document. */
async function eventsOf(mneme: Mneme, id: string): Promise<readonly string[]> {
  const { status, body } = await mneme.get<{ events: { type: string }[] }>(`/v3/documents/${id}/events`);
  expect(status).toBe(200);
  return body.events.map(({ type }) => type);
}

const endsOf = async (mneme: Mneme, id: string) =>
  (await eventsOf(mneme, id)).filter((type) => ['DocumentIndexed', 'ProcessingFailed'].includes(type));

const settledWithin = (mneme: Mneme, id: string, ms: number) =>
  eventually(async () => {
    const { status, body } = await mneme.get(`/v3/documents/${id}`);
    expect(status).toBe(200);
    return ['done', 'failed'].includes(body.status as string) ? (body.status as string) : null;
  }, ms);

/** Everything that was acknowledged becomes done, once, and is listed and found; nothing is there twice. */
async function expectAllDoneOnce(mneme: Mneme, { acknowledged }: Adds, ms = 100_000): Promise<void> {
  const end = Date.now() + ms;
  await inParallel([...acknowledged.keys()], 8, async (id) => {
    expect(await settledWithin(mneme, id, end - Date.now())).toBe('done');
    expect(await endsOf(mneme, id)).toEqual(['DocumentIndexed']);
  });
  await eventually(async () => ((await mneme.get('/v3/documents/processing')).body.totalCount === 0 ? true : null));
  const listed = await listAll(mneme);
  expect(new Set(listed.map(({ content }) => content)).size).toBe(listed.length);
  const ids = new Set(listed.map(({ id }) => id));
  expect([...acknowledged.keys()].filter((id) => !ids.has(id))).toEqual([]);
  expect(listed.filter(({ status }) => status !== 'done')).toEqual([]);
  const some = [...acknowledged.entries()].filter((_, i, all) => i % Math.ceil(all.length / 20) === 0);
  for (const [id, word] of some) {
    const { body } = await mneme.post<{ results: { documentId: string }[] }>('/v3/search', { q: word });
    expect(body.results.map(({ documentId }) => documentId)).toEqual([id]);
  }
}

interface Listed {
  readonly id: string;
  readonly content: string;
  readonly status: string;
}

async function listAll(mneme: Mneme): Promise<Listed[]> {
  const listed: Listed[] = [];
  for (let page = 1; ; page += 1) {
    const { status, body } = await mneme.post('/v3/documents/list', { page, limit: 1_000, includeContent: true });
    expect(status).toBe(200);
    listed.push(...(body.memories as Listed[]));
    if (page >= (body.pagination as { totalPages: number }).totalPages) return listed;
  }
}

const expectAlive = ({ processes }: Cluster) => expect(processes.filter(({ running }) => !running)).toEqual([]);

/** Work that is waiting or running on NATS is gone, as when its streams were removed. */
async function wipeWork(url: string, prefix: string): Promise<void> {
  const connection = await connectNats({ url, name: 'test' });
  try {
    for (const stage of ['EXTRACT', 'CHUNK', 'EMBED', 'INDEX']) {
      await connection.request(`$JS.API.STREAM.DELETE.${prefix.toUpperCase()}_WORK_${stage}`);
    }
  } finally {
    await connection.close();
  }
}

/** A page that takes a while to be read. */
const LONG = `${'A sentence about nothing that goes on for a while and then ends. '.repeat(12_000)}`;

test(
  'a worker that is killed in any stage is followed by another, and every document is done once',
  async () => {
    const cluster = await startCluster();
    const api = await cluster.start('api');
    const adds = new Adds(api);
    const extracting = ['DocumentAdded', 'StageStarted'];
    const chunking = [...extracting, 'ContentExtracted', 'StageStarted'];
    const indexing = [...chunking, 'ContentChunked', 'MemoriesFormed'];
    for (const stage of [extracting, chunking, indexing]) {
      const worker = await cluster.start('worker');
      const before = adds.acknowledged.size;
      const adding = adds.several(16, 4, (i) => (i % 2 === 0 ? LONG : ''));
      await eventually(async () => {
        const ids = [...adds.acknowledged.keys()].slice(before);
        const found = await Promise.all(ids.map((id) => eventsOf(api, id)));
        return found.some((types) => types.join() === stage.join()) ? true : null;
      });
      await worker.kill('SIGKILL');
      await adding;
    }
    const survivors = [await cluster.start('worker'), await cluster.start('worker')];
    expect(adds.refused).toEqual([]);
    await expectAllDoneOnce(api, adds);
    expect(survivors.every(({ running }) => running)).toBe(true);
  },
  TIMEOUT_MS,
);

test(
  'NATS that is away for half a minute under load, and comes back without any work, only delays',
  async () => {
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
  },
  TIMEOUT_MS,
);

test(
  'without OpenSearch documents are accepted and searches refused with 503; when it is back, all is found',
  async () => {
    const proxy = await TcpProxy.start(addressOf('MNEME_TEST_OPENSEARCH_URL'));
    cleanups.push(() => proxy.cut());
    const cluster = await startCluster({ openSearchUrl: proxy.url });
    const [api] = await Promise.all([cluster.start('api'), cluster.start('worker')]);
    const adds = new Adds(api);
    await adds.several(40, 4);
    await proxy.cut();
    await adds.several(40, 4);
    expect(adds.refused).toEqual([]);
    expect(adds.acknowledged.size).toBe(80);
    const [id] = [...adds.acknowledged.keys()];
    for (const answer of [
      await api.post('/v3/search', { q: 'numbat' }),
      await api.post('/v4/search', { q: 'numbat' }),
      await api.post('/v3/documents/list', {}),
      await api.post('/v4/profile', { containerTag: 'faults' }),
      await api.get('/v3/documents/processing'),
    ]) {
      expectUnavailable(answer);
    }
    expect((await api.get(`/v3/documents/${id}`)).status).toBe(200);
    expect((await api.get('/v3/health')).status).toBe(200);
    await proxy.open();
    await expectAllDoneOnce(api, adds);
    expectAlive(cluster);
  },
  TIMEOUT_MS,
);

test(
  'connections to the event log that are cut in the middle of appends double and lose nothing',
  async () => {
    const cluster = await startCluster();
    const [api] = await Promise.all([cluster.start('api'), cluster.start('worker')]);
    const adds = new Adds(api);
    let loaded = true;
    const load = adds.while(() => loaded, 8);
    for (let round = 1; round <= 12; round += 1) {
      await eventually(async () => (adds.acknowledged.size >= round * 20 ? true : null));
      cluster.log.cutNextAppends(...(['before', 'after', 'after', 'before'] as const).slice(round % 3));
    }
    // And once it is away for longer than a request waits.
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
  },
  TIMEOUT_MS,
);

test(
  'a worker that is paused past its lease is followed within ten seconds, and moves nothing when it wakes',
  async () => {
    const cluster = await startCluster();
    const api = await cluster.start('api');
    const workers = await Promise.all([cluster.start('worker'), cluster.start('worker')]);
    // As it stands in the checkpoint. Null: nobody has written one yet.
    const writer = async () => {
      const url = `${cluster.env.MNEME_OPENSEARCH_URL}/${cluster.prefix}-meta/_doc/checkpoint`;
      const { _source } = (await (await fetch(url)).json()) as { _source?: { holder: string; epoch: number } };
      return _source ? { pid: Number(_source.holder.split(' ')[1]), epoch: _source.epoch } : null;
    };
    const adds = new Adds(api);
    await adds.several(60, 8);
    const first = await eventually(async () => {
      const found = await writer();
      return workers.some(({ pid }) => pid === found?.pid) ? found : null;
    });
    process.kill(first.pid, 'SIGSTOP');
    let second: typeof first;
    try {
      second = await eventually(async () => {
        const found = await writer();
        return found?.pid === first.pid ? null : found;
      }, 10_000);
      await adds.several(40, 8);
    } finally {
      process.kill(first.pid, 'SIGCONT');
    }
    expect(second.epoch).toBeGreaterThan(first.epoch);
    await adds.several(40, 8);
    expect(adds.refused).toEqual([]);
    await expectAllDoneOnce(api, adds);
    expect(await writer()).toEqual(second);
    expect(await cluster.cli('replay', '--verify')).toMatchObject({
      code: 0,
      out: expect.stringContaining('No difference: 140'),
    });
    expectAlive(cluster);
  },
  TIMEOUT_MS,
);

test(
  'a document that takes every worker down ends as failed, and the others are done',
  async () => {
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
      await eventually(async () => ((await starts()) === round ? true : null));
      await worker.kill('SIGKILL');
      // As nobody answers for it any more, the next worker may have it at once.
      await wipeWork(cluster.env.MNEME_NATS_URL as string, cluster.prefix);
    }
    await cluster.start('worker');
    expect(
      (await api.settled(poison)).processingError ?? (await api.get(`/v3/documents/${poison}`)).body,
    ).toMatchObject({
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
  },
  TIMEOUT_MS,
);

test(
  'a message that cannot be read becomes a dead letter, and holds up no work',
  async () => {
    const cluster = await startCluster();
    const [api] = await Promise.all([cluster.start('api'), cluster.start('worker')]);
    const adds = new Adds(api);
    await adds.add();
    const connection = await connectNats({ url: cluster.env.MNEME_NATS_URL as string, name: 'test' });
    const subject = `${cluster.prefix}.work.extract.nobody.nothing.1`;
    await connection.request(subject, 'no JSON at all');
    await connection.close();
    await adds.several(20, 4);
    await expectAllDoneOnce(api, adds);
    const listed = await eventually(async () => {
      const { out } = await cluster.cli('dead-letters', 'list', '--json');
      return out.includes(subject) ? out : null;
    });
    expect(listed).toContain('it is no JSON');
    expectAlive(cluster);
  },
  TIMEOUT_MS,
);

test(
  'two API processes together let no more through than the rate limit says',
  async () => {
    const LIMIT = 20;
    const cluster = await startCluster({ env: { MNEME_RATE_LIMIT: `${LIMIT}/60` } });
    const apis = await Promise.all([cluster.start('api'), cluster.start('api')]);
    const answers: Answer[] = [];
    await inParallel(
      Array.from({ length: 80 }, (_, i) => i),
      16,
      async (i) => {
        answers.push(await (apis[i % 2] as Mneme).get('/v3/documents/none'));
      },
    );
    const by = Map.groupBy(answers, ({ status }) => status);
    expect([...by.keys()].sort()).toEqual([404, 429]);
    expect(by.get(404)).toHaveLength(LIMIT);
    for (const { headers } of by.get(429) as Answer[]) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
