import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connection } from '../connection.ts';
import { type BulkItem, writeBulk } from './bulk.ts';

/** A server that refuses rows a number of times. */
let server: Server;
let connection: Connection;
/** Ids of the rows of each request. */
let requests: string[][];
/** Times that a row is still refused. */
let refusals: Map<string, number>;
let type: string;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const lines = text.trim().split('\n');
    const ids = lines.flatMap((line, i) => (i % 2 === 0 ? [JSON.parse(line).index._id as string] : []));
    requests.push(ids);
    const items = ids.map((id) => {
      const left = refusals.get(id) ?? 0;
      refusals.set(id, left - 1);
      return { index: left > 0 ? { status: 429, error: { type, reason: 'too much' } } : { status: 201 } };
    });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ errors: true, items }));
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
  requests = [];
  refusals = new Map();
});

const item = (id: string): BulkItem => ({
  ...{ index: 'units', id, routing: id, version: 1, json: '{}' },
  owner: { organization: 'o', id },
});
const limits = { items: 10, bytes: 1_000_000, firstPause: 1, pauses: 2 };
const write = () => writeBulk(connection, [item('a'), item('b'), item('c')], limits);

it.each(['rejected_execution_exception', 'circuit_breaking_exception'])(
  'rows that are refused with 429 %s are sent again, alone',
  async (refusal) => {
    type = refusal;
    refusals.set('b', 2);
    await write();
    expect(requests).toEqual([['a', 'b', 'c'], ['b'], ['b']]);
  },
);

it('rows that stay refused are a transient error', async () => {
  refusals.set('b', 9);
  await expect(write()).rejects.toMatchObject({ kind: 'transient', code: 'views_unreachable' });
  expect(requests).toHaveLength(3);
});
