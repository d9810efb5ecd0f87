import { actionsIn, type StubAnswer, stubServer } from '../testing/stub-server.ts';
import { type BulkItem, writeBulk } from './bulk.ts';

/** Ids of the rows of each request. */
let requests: string[][];
/** Times that a row is still refused. */
let refusals: Map<string, number>;
let type: string;

/** Rows of which OpenSearch refuses the request, and with what. */
let refused: ReadonlyMap<string, StubAnswer>;

/** What OpenSearch answers to the read of a row. */
let read: StubAnswer;

/** Refuses rows a number of times. */
const server = stubServer((request) => {
  if (request.path.endsWith('/_mget')) return read;
  const ids = actionsIn(request).map((action) => (action as { index: { _id: string } }).index._id);
  requests.push(ids);
  const refusal = ids.map((id) => refused.get(id)).find((answer) => answer !== undefined);
  if (refusal !== undefined) return refusal;
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
  refused = new Map();
  read = { body: { docs: [{ _id: 'probe', found: false }] } };
});

const item = (id: string, json = '{}'): BulkItem => ({
  ...{ index: 'units', id, routing: id, version: 1, json },
  owner: { organization: 'o', id },
});
const limits = { items: 10, bytes: 1_000_000, firstPause: 1, pauses: 2, morePauses: 1 };
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

describe('a row that is too large for OpenSearch is rejected, so that its document fails and others go on', () => {
  const rejected = (id: string, reason: string) => ({
    code: 'rows_rejected',
    rows: [{ organization: 'o', id, reason: expect.stringContaining(reason) }],
  });

  const pressure = (operation: number) => ({
    type: 'rejected_execution_exception',
    reason:
      'rejected execution of coordinating operation [coordinating_and_primary_bytes=0, replica_bytes=0, all_bytes=0, ' +
      `coordinating_operation_bytes=${operation}, max_coordinating_and_primary_bytes=51897958]`,
  });

  it.each([
    ['413', { status: 413, body: {} }, 'OpenSearch takes less than that'],
    [
      '429, for it has more than OpenSearch takes at once',
      { status: 429, body: { error: { ...pressure(60_000_244), root_cause: [pressure(60_000_244)] }, status: 429 } },
      'OpenSearch takes 51.9 MB at the most',
    ],
    [
      '429 of the shard',
      { body: { items: [{ index: { status: 429, error: pressure(60_000_244) } }] } },
      'OpenSearch takes 51.9 MB at the most',
    ],
  ])('when OpenSearch answers %s', async (_, answer, reason) => {
    refused = new Map([['b', answer]]);
    await expect(writeBulk(server.connection, [item('a'), item('b')], { ...limits, bytes: 1 })).rejects.toMatchObject(
      rejected('b', reason),
    );
    expect(requests).toContainEqual(['a']);
    expect(requests.filter(([id]) => id === 'b')).toHaveLength(1);
  });

  it('but not when others take the room', async () => {
    const body = { error: { ...pressure(4_000_000), root_cause: [pressure(4_000_000)] }, status: 429 };
    refused = new Map([['b', { status: 429, body }]]);
    await expect(writeBulk(server.connection, [item('b')], limits)).rejects.toMatchObject({
      code: 'views_unreachable',
    });
  });

  const breaker = {
    type: 'circuit_breaking_exception',
    reason: '[parent] Data too large, data for [<http_request>] would be [1063256064/1014mb]',
  };

  it.each<[string, StubAnswer]>([
    ['refuses the request', { status: 429, body: { error: { ...breaker, root_cause: [breaker] }, status: 429 } }],
    ['refuses the row', { body: { items: [{ index: { status: 429, error: breaker } }] } }],
  ])('when OpenSearch lacks the memory for it however long it waits, and %s', async (_, answer) => {
    refused = new Map([['b', answer]]);
    const large = item('b', `"${'x'.repeat(limits.bytes)}"`);
    await expect(writeBulk(server.connection, [item('a'), large], limits)).rejects.toMatchObject(
      rejected('b', 'OpenSearch takes less than that'),
    );
    expect(requests.filter(([id]) => id === 'b')).toHaveLength(1 + limits.pauses + limits.morePauses);
    // A small row is not what takes the memory.
    await expect(writeBulk(server.connection, [item('b')], limits)).rejects.toMatchObject({
      code: 'views_unreachable',
    });
  });

  it.each<[string, StubAnswer]>([
    ['refuses every request', { status: 429, body: { error: { ...breaker, root_cause: [breaker] }, status: 429 } }],
    ['refuses every row', { body: { docs: [{ _id: 'probe', found: false, error: breaker }] } }],
    ['takes no requests', { status: 503, body: {} }],
  ])('but not while OpenSearch %s for want of memory', async (_, answer) => {
    refused = new Map([['b', { status: 429, body: { error: { ...breaker, root_cause: [breaker] }, status: 429 } }]]);
    read = answer;
    const large = item('b', `"${'x'.repeat(limits.bytes)}"`);
    await expect(writeBulk(server.connection, [large], limits)).rejects.toMatchObject({ code: 'views_unreachable' });
  });

  it('by its bytes, before it is sent', async () => {
    const row = item('long', `"${'é'.repeat(50_000_000)}"`);
    await expect(writeBulk(server.connection, [row], limits)).rejects.toMatchObject(
      rejected('long', 'one row of it has 100.1 MB, and OpenSearch takes 100.0 MB at the most'),
    );
    expect(requests).toEqual([]);
  });
});
