import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNatsServer } from '../../libs/nats/src/testing/nats-server.ts';
import { addressOf } from '../support/addresses.ts';
import { Cluster, TcpProxy } from '../support/cluster.ts';
import { eventually, type Mneme } from '../support/mneme.ts';
import { PREFIX, packCluster } from './cluster-state.ts';
import type { Questions } from './questions.ts';
import { addSettled, upload } from './settled.ts';
import { HTML, longText } from './texts.ts';
import { addConversation, killRebuild, modelServes, questionsOf, reaches, SLOW_TEXT_THREAD } from './writing.ts';

export interface ClusterWriting {
  /** The checkout of the version that writes. */
  readonly root: string;
  /** Where the archive goes. */
  readonly file: string;
  /** Settings with which the models are found. */
  readonly models: Readonly<Record<string, string>>;
  /** The space that the change goes to. */
  readonly other: string;
}

const BY_WORDS = { MNEME_EMBEDDING: 'off' };

/** Fills engines with everything, and kills API process and worker in the middle of their work. */
export async function writeCluster({ root, file, models, other }: ClusterWriting): Promise<Questions> {
  const nats = await startNatsServer();
  const cluster = await Cluster.start({ natsUrl: nats.url, prefix: PREFIX, env: models });
  const folder = await mkdtemp(join(tmpdir(), 'mneme-state-'));
  const proxy = await TcpProxy.start(addressOf('MNEME_TEST_OPENSEARCH_URL'));
  try {
    let api = await cluster.start('api', { root });
    let worker = await cluster.start('worker', { root });
    await modelServes(api);
    await modelServes(worker);
    const settled = await addSettled(api);
    await addConversation(api);
    await killRebuild({ root, folder, env: cluster.env }, other);
    await Promise.all([api.stop(), worker.stop()]);

    // What is added now is found by its words alone.
    api = await cluster.start('api', { root, env: BY_WORDS });
    const env = { ...BY_WORDS, ...SLOW_TEXT_THREAD, MNEME_OPENSEARCH_URL: proxy.url };
    worker = await cluster.start('worker', { root, env });
    const late = await api.addAndWait('Walnut shells dye the wool brown.', { containerTag: 'waiting' });
    const unfinished = await leaveUnfinished(api, worker, proxy);
    await nats.kill();
    await packCluster(file, cluster.log, nats);
    return questionsOf(settled, [late, ...unfinished]);
  } finally {
    await proxy.cut();
    await cluster.stop();
    await nats.remove();
    await rm(folder, { recursive: true });
  }
}

/** Leaves documents in the stages that a cluster without a model has. The worker is cut off from the views. */
async function leaveUnfinished(api: Mneme, worker: Mneme, proxy: TcpProxy): Promise<readonly string[]> {
  const chat = { customId: 'chat/cider', containerTag: 'grown' };
  const grown = await api.addAndWait('Bryndis: The cider is pressed.', chat);
  const victim = await api.addAndWait('This is deleted while the server dies.', { containerTag: 'unread' });
  const failed = await api.add('http://192.0.2.1/later.html', { containerTag: 'unread' });
  await api.settled(failed);
  await eventually(async () => {
    const { body } = await worker.get<{ work: { holds: string[] } }>('/v3/health');
    return body.work.holds.includes('views') && body.work.holds.includes('process-manager') ? true : null;
  });

  const chunking = await upload(api, 'swarm.html', HTML, 'unread');
  await reaches(api, chunking, 'chunking');
  const extracting = await upload(api, 'swarm-copy.html', HTML.replace('weighed', 'counted'), 'unread');
  await reaches(api, extracting, 'extracting');
  await proxy.cut();
  const indexing = [
    await api.add('Sills are painted white on the sunny side.', { containerTag: 'waiting' }),
    await api.add('The cellar key hangs behind the clock.', { containerTag: 'waiting', metadata: { room: 'cellar' } }),
  ];
  // Without a model what is formed waits for the views in this stage.
  for (const id of indexing) await reaches(api, id, 'embedding');
  await worker.kill();
  for (const [id, stage] of [
    ...indexing.map((one) => [one, 'embedding']),
    [chunking, 'chunking'],
    [extracting, 'extracting'],
  ]) {
    const { body } = await api.get(`/v3/documents/${id}`);
    if (body.processingStage !== stage) throw new Error(`${id} is not ${stage} any more: write the state once more`);
  }

  // No worker lives: these stay queued.
  const queued = [
    await api.add('A toad lives under the pump.', { containerTag: 'unread', customId: 'toad' }),
    await api.add(longText('The second mill stands idle.'), { containerTag: 'unread', taskType: 'superrag' }),
  ];
  await api.add('Bryndis: The barrels are tarred now.', chat);
  await api.post(`/v3/documents/${failed}/retry`);
  // It waits for the views, and is cut off.
  void api.request('DELETE', `/v3/documents/${victim}`).catch(() => undefined);
  await eventually(async () => ((await api.get(`/v3/documents/${victim}`)).status === 404 ? true : null));
  await api.kill();
  return [grown, failed, ...indexing, chunking, extracting, ...queued, victim];
}
