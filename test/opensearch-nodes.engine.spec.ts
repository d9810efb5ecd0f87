import { join } from 'node:path';
import { type OpenSearchNode, startOpenSearchNodes } from './engines/engines.ts';
import { Cluster } from './support/cluster.ts';
import { filesWith } from './support/data-folder.ts';
import { eventually, type Mneme } from './support/mneme.ts';

/** OpenSearch on two nodes, of which only the first can be the cluster manager. Every shard has a copy on both. */

const TIMEOUT_MS = 600_000;

let nodes: readonly [OpenSearchNode, OpenSearchNode];
let cluster: Cluster;
let api: Mneme;

beforeAll(async () => {
  nodes = await startOpenSearchNodes(() => {});
  cluster = await Cluster.start({
    openSearchUrl: nodes.map(({ url }) => url).join(),
    env: { MNEME_OPENSEARCH_SHARDS: '2', MNEME_OPENSEARCH_REPLICAS: '1' },
  });
  api = await cluster.start('api');
  await cluster.start('worker');
}, TIMEOUT_MS);
afterAll(async () => {
  await cluster?.stop();
  for (const node of nodes ?? []) await node.stop();
});

/** Waits until every shard has both copies. */
async function complete(): Promise<void> {
  await eventually(async () => {
    const answer = await fetch(`${nodes[0].url}/_cluster/health?wait_for_status=green&timeout=10s`);
    const { status } = (await answer.json()) as { status: string };
    return status === 'green' ? true : null;
  });
}

test(
  'a purge removes a deleted document from the files of both nodes',
  async () => {
    const words = ['quokkazebra'];
    const held = async () => {
      const found = await Promise.all(nodes.map(({ folder }) => filesWith(join(folder, 'data'), words)));
      return found.map((files) => files.length > 0);
    };
    const id = await api.addAndWait(`The ${words[0]} sleeps.`);
    await complete();
    expect(await held()).toEqual([true, true]);
    expect((await api.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
    expect(await cluster.cli('purge')).toMatchObject({ code: 0, out: 'Deleted rows removed.\n' });
    expect(await held()).toEqual([false, false]);
  },
  TIMEOUT_MS,
);

test(
  'a replay keeps shards and replicas',
  async () => {
    expect(await cluster.cli('replay')).toMatchObject({ code: 0 });
    const answer = await fetch(`${nodes[0].url}/_cat/indices/${cluster.prefix}-*?format=json&h=index,pri,rep`);
    const found = (await answer.json()) as { index: string; pri: string; rep: string }[];
    expect(found.length).toBeGreaterThan(3);
    for (const { index, pri, rep } of found) {
      expect([index, pri, rep]).toEqual([index, /-meta-\d+$/.test(index) ? '1' : '2', '1']);
    }
  },
  TIMEOUT_MS,
);
