import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type OpenSearchNode, startOpenSearchNodes } from './engines/engines.ts';
import { Adds, expectAllDoneOnce, expectUnavailable, settledWithin } from './support/adds.ts';
import { Cluster } from './support/cluster.ts';
import { filesWith } from './support/data-folder.ts';
import { eventually, type Mneme } from './support/mneme.ts';

/** OpenSearch on two nodes, of which only the first can be the cluster manager. Every shard has a copy on both. */

const TIMEOUT_MS = 600_000;
/** For documents to be done, and for shards to be copied, on a busy machine. Milliseconds. */
const PATIENCE_MS = 240_000;

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
  }, PATIENCE_MS);
}

/** Searches for a document that is done. There may be no answer, but no wrong one. Returns whether there is one. */
async function isFound(id: string, word: string): Promise<boolean> {
  const answer = await api.post<{ results: { documentId: string }[] }>('/v3/search', { q: word });
  if (answer.status !== 200) expectUnavailable(answer);
  else expect(answer.body.results.map(({ documentId }) => documentId)).toEqual([id]);
  return answer.status === 200;
}

const expectFound = (id: string, word: string) =>
  eventually(async () => ((await isFound(id, word)) ? true : null), PATIENCE_MS);

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

test(
  'a node that is killed loses nothing: while the second is away adds and searches go on, without the first adds do',
  async () => {
    const [first, second] = nodes;
    const adds = new Adds(api);
    await adds.several(10, 4);
    const [[id, word]] = [...adds.acknowledged] as [[string, string]];
    expect(await settledWithin(api, id, PATIENCE_MS)).toBe('done');
    await complete();
    let isLoaded = true;
    const load = (async () => {
      // Not as fast as possible: every document is checked at the end.
      for (; isLoaded; await pause(200)) await adds.add();
    })();
    const addedNext = async (count: number) => {
      const { size } = adds.acknowledged;
      await eventually(async () => (adds.acknowledged.size >= size + count ? true : null), PATIENCE_MS);
      return [...adds.acknowledged].at(-1) as [id: string, word: string];
    };
    try {
      await first.kill();
      for (let i = 0; i < 5; i += 1) {
        await addedNext(2);
        await isFound(id, word);
      }
      await first.restart();
      await complete();
      await expectFound(id, word);
      await second.kill();
      const [newest, itsWord] = await addedNext(10);
      expect(await settledWithin(api, newest, PATIENCE_MS)).toBe('done');
      await expectFound(newest, itsWord);
      await expectFound(id, word);
    } finally {
      isLoaded = false;
      await load;
    }
    expect(adds.refused).toEqual([]);
    await expectAllDoneOnce(api, adds, PATIENCE_MS);
    expect(cluster.processes.filter(({ running }) => !running)).toEqual([]);
  },
  2 * TIMEOUT_MS,
);
