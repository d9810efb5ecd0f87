import { actionsIn, stubServer } from '../testing/stub-server.ts';
import { type BulkItem, writeBulk } from './bulk.ts';

/** Ids of the rows of each request. */
let requests: string[][];
/** Times that a row is still refused. */
let refusals: Map<string, number>;
let type: string;

/** Refuses rows a number of times. */
const server = stubServer((request) => {
  const ids = actionsIn(request).map((action) => (action as { index: { _id: string } }).index._id);
  requests.push(ids);
  const items = ids.map((id) => {
    const left = refusals.get(id) ?? 0;
    refusals.set(id, left - 1);
    return { index: left > 0 ? { status: 429, error: { type, reason: 'too much' } } : { status: 201 } };
  });
  return { body: { errors: true, items } };
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
const write = () => writeBulk(server.connection, [item('a'), item('b'), item('c')], limits);

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
