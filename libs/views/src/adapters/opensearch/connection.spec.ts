import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connection } from './connection.ts';

/** A server that gives one answer to every request. */
let server: Server;
let connection: Connection;
let answer: { readonly status: number; readonly type: string };

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: answer.status, error: { type: answer.type, reason: 'for now' } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  connection = new Connection(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(async () => {
  await connection.close();
  server.close();
  server.closeAllConnections();
});

const call = () => connection.call({ method: 'GET', path: '/x/_search' });

it.each([
  [408, 'timeout', 'views_unreachable'],
  [429, 'es_rejected_execution_exception', 'views_unreachable'],
  [502, 'unknown', 'views_unreachable'],
  [503, 'process_cluster_event_timeout_exception', 'views_unreachable'],
  [504, 'unknown', 'views_unreachable'],
  [403, 'cluster_block_exception', 'views_unreachable'],
  [429, 'cluster_block_exception', 'views_unreachable'],
  [404, 'index_not_found_exception', 'views_missing'],
])('an answer of %i %s is a transient error', async (status, type, code) => {
  answer = { status, type };
  await expect(call()).rejects.toMatchObject({ kind: 'transient', code });
});

it.each([
  [400, 'parsing_exception'],
  [403, 'security_exception'],
  [409, 'version_conflict_engine_exception'],
])('an answer of %i %s is a permanent error', async (status, type) => {
  answer = { status, type };
  await expect(call()).rejects.toMatchObject({ kind: 'permanent', code: 'engine_refusal', status, type });
});

it('a server that is away is a transient error', async () => {
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port } = gone.address() as AddressInfo;
  gone.close();
  const away = new Connection(`http://127.0.0.1:${port}`);
  await expect(away.call({ method: 'GET', path: '/' })).rejects.toMatchObject({
    kind: 'transient',
    code: 'views_unreachable',
  });
  await away.close();
});
