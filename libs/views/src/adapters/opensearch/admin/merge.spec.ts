import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Aliases } from '../aliases.ts';
import { Connection } from '../connection.ts';
import { removeDeletedRows } from './merge.ts';

/** Answers as OpenSearch does for views with a read model, and records the calls that change something. */
let server: Server;
let connection: Connection;
let done: string[];
/** Writes that every copy has confirmed, by look; the last one is repeated. */
let confirmed: number[];
/** Copies of the units. */
let copies: number;
/** Copies that fail to merge. */
let failing: number;

const LAST_WRITE = 203;
const INDICES = ['v-documents', 'v-units', 'v-meta', 'v-model-shelves'];

function answerTo(path: string): object {
  if (path.startsWith('/_alias/')) return { 'v-model-shelves-1': { aliases: { 'v-model-shelves': {} } } };
  if (path.endsWith('/_settings')) {
    const settings = { settings: { 'index.number_of_shards': '1' } };
    return Object.fromEntries(INDICES.map((index) => [`${index}-1`, settings]));
  }
  if (path.endsWith('/_stats')) {
    const [at, ...later] = confirmed;
    if (later.length > 0) confirmed = later;
    const leases = [{ retaining_seq_no: LAST_WRITE + 1 }, { retaining_seq_no: at }];
    const copy = { seq_no: { max_seq_no: LAST_WRITE }, retention_leases: { leases } };
    const found = INDICES.map((index) => [index, index === 'v-units' ? copies : 1] as const);
    return {
      indices: Object.fromEntries(
        found.flatMap(([index, count]) =>
          count === 0 ? [] : [[`${index}-1`, { shards: { 0: Array.from({ length: count }, () => copy) } }]],
        ),
      ),
    };
  }
  done.push(path);
  return { _shards: { total: 2, successful: 1, failed: path.endsWith('/_forcemerge') ? failing : 0 } };
}

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answerTo(decodeURIComponent(new URL(request.url ?? '', 'http://x').pathname))));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  connection = new Connection(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(async () => {
  await connection.close();
  server.close();
  server.closeAllConnections();
});
beforeEach(() => {
  [done, confirmed, copies, failing] = [[], [LAST_WRITE + 1], 2, 0];
});

const remove = () =>
  removeDeletedRows(connection, new Aliases('v'), {
    ...{ signal: new AbortController().signal, lookEveryMs: 1, patienceMs: 100 },
  });

it('when every copy has confirmed the deletions, all indices are merged, and then no old file is in use', async () => {
  confirmed = [0, 0, LAST_WRITE, LAST_WRITE + 1];
  expect(await remove()).toBe(true);
  const all = INDICES.join();
  expect(done).toEqual([
    ...[`/${all}/_flush`, `/${all}/_forcemerge`, `/${all}/_flush`],
    ...['v-units', 'v-documents', 'v-meta', 'v-model-shelves'].map((index) => `/${index}/_refresh`),
  ]);
});

it('nothing is merged while a copy may still need deleted rows', async () => {
  confirmed = [LAST_WRITE];
  expect(await remove()).toBe(false);
  expect(done).toEqual([]);
});

it('nothing is merged while a shard has no copy', async () => {
  copies = 0;
  expect(await remove()).toBe(false);
  expect(done).toEqual([]);
});

it('a copy that fails to merge is a transient error', async () => {
  failing = 1;
  await expect(remove()).rejects.toMatchObject({ kind: 'transient', code: 'views_unreachable' });
});
