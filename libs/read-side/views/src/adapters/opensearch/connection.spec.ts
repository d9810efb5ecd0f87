import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connection } from './connection.ts';
import { actionsIn, stubServer } from './testing/stub-server.ts';

let answer: { readonly status: number; readonly type: string };

/** Gives one answer to every request. */
const server = stubServer(() => {
  const { status, type } = answer;
  return { status, body: { status, error: { type, reason: 'for now' } } };
});

const call = () => server.connection.call({ method: 'GET', path: '/x/_search' });

it.each([
  [408, 'timeout', 'views_unreachable'],
  [429, 'es_rejected_execution_exception', 'views_unreachable'],
  [502, 'unknown', 'views_unreachable'],
  [503, 'process_cluster_event_timeout_exception', 'views_unreachable'],
  [504, 'unknown', 'views_unreachable'],
  [403, 'cluster_block_exception', 'views_unreachable'],
  [429, 'cluster_block_exception', 'views_unreachable'],
  [500, 'illegal_index_shard_state_exception', 'views_unreachable'],
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
  const away = new Connection(await nowhere());
  await expect(away.call({ method: 'GET', path: '/' })).rejects.toMatchObject({
    kind: 'transient',
    code: 'views_unreachable',
  });
  await away.close();
});

describe('an overloaded server', () => {
  const INDICES = ['x', 'y', 'z'];
  /** Indices of the searches of each request. */
  let requests: string[][];
  /** Searches of an index that are still refused, and the error. */
  let refusals: Map<string, { left: number; readonly status: number; readonly type: string }>;

  const busy = stubServer(
    (request) => {
      const indices = actionsIn(request).map((action) => (action as { index: string }).index);
      requests.push(indices);
      const responses = indices.map((index) => {
        const refusal = refusals.get(index);
        if (refusal === undefined || refusal.left === 0) {
          return { status: 200, took: 1, hits: { hits: [{ _id: index }] } };
        }
        refusal.left -= 1;
        const { status, type } = refusal;
        // As OpenSearch answers when every copy of a shard refuses.
        const error = { type: 'search_phase_execution_exception', root_cause: [{ type, reason: 'too much' }] };
        return { status, error: { ...error, reason: 'all shards failed' } };
      });
      return { body: { took: 1, responses } };
    },
    { pauses: [1, 1] },
  );
  beforeEach(() => {
    requests = [];
    refusals = new Map();
  });

  const search = async () => {
    const answers = await busy.connection.search(INDICES.map((index) => ({ index, body: {} })));
    return answers.map(({ hits }) => hits.hits[0]?._id);
  };

  it.each([
    [429, 'rejected_execution_exception'],
    [429, 'circuit_breaking_exception'],
    [503, 'circuit_breaking_exception'],
    [500, 'circuit_breaking_exception'],
  ])('gets those searches again that it answered with %i %s', async (status, type) => {
    refusals.set('y', { left: 2, status, type });
    expect(await search()).toEqual(INDICES);
    expect(requests).toEqual([INDICES, ['y'], ['y']]);
  });

  it('that stays so is a transient error', async () => {
    refusals.set('z', { left: 9, status: 429, type: 'circuit_breaking_exception' });
    await expect(search()).rejects.toMatchObject({ kind: 'transient', code: 'views_unreachable', status: 429 });
    expect(requests).toHaveLength(3);
  });

  it('gets no search again that failed for another reason', async () => {
    refusals.set('x', { left: 9, status: 400, type: 'parsing_exception' });
    refusals.set('z', { left: 9, status: 429, type: 'rejected_execution_exception' });
    await expect(search()).rejects.toMatchObject({ kind: 'permanent', type: 'parsing_exception' });
    expect(requests).toHaveLength(1);
  });
});

it('of several nodes, one that is away is passed over', async () => {
  answer = { status: 404, type: 'index_not_found_exception' };
  const several = new Connection(`${await nowhere()},${server.url}`);
  for (let i = 0; i < 4; i += 1) {
    await expect(several.call({ method: 'GET', path: '/x' })).rejects.toMatchObject({ code: 'views_missing' });
  }
  await several.close();
});

/** Returns the address of a server that has ended. */
async function nowhere(): Promise<string> {
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port } = gone.address() as AddressInfo;
  gone.close();
  return `http://127.0.0.1:${port}`;
}
