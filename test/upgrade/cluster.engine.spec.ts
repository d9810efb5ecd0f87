import { jetstream } from '@nats-io/jetstream';
import { connectNats, type NatsConnection } from '#nats';
import { addressOf } from '../support/addresses.ts';
import { Cluster } from '../support/cluster.ts';
import { eventually, type Mneme } from '../support/mneme.ts';
import { allModels } from '../support/vector-space.ts';
import { expectSameAnswers, readAnswers } from './answers.ts';
import { CLUSTER_ANSWERS, type ClusterState, openClusterState } from './cluster-state.ts';
import { LeaseHistory } from './lease-history.ts';
import { OLDER_COMMIT, type OlderVersion, olderVersion } from './older-version.ts';
import { openByVectors, openByWords, viewsServe } from './story.ts';

/** Engines on which an older version was killed: see README.md. And both versions in one cluster. */

const TIMEOUT_MS = 240_000;
const { env: models, missing } = await allModels();

describe('engines that an older version has filled', () => {
  const answers = readAnswers(CLUSTER_ANSWERS);
  const ask = (mneme: Mneme, moment: string) => expectSameAnswers(mneme, answers, moment);
  const withModels = missing === null ? test : test.skip;
  let state: ClusterState | undefined;
  afterEach(() => state?.remove());

  test(
    'open without a model: lists, unit ids and searches are the same, and unfinished work ends',
    async () => {
      state = await openClusterState({ MNEME_EMBEDDING: 'off' }, ask);
      await openByWords(state);
    },
    TIMEOUT_MS,
  );

  withModels(
    `open with their model, and the unfinished change to another one is finished${missing === null ? '' : ` (SKIPPED: ${missing})`}`,
    async () => {
      state = await openClusterState(models, ask);
      await openByVectors(state);
    },
    TIMEOUT_MS,
  );
});

const older = await olderVersion();
const withOlder = older === null ? describe.skip : describe;

withOlder(`an older worker and a new one${older === null ? ` (SKIPPED: no commit ${OLDER_COMMIT})` : ''}`, () => {
  const { root } = (older ?? {}) as OlderVersion;
  let cluster: Cluster;
  let connection: NatsConnection;
  beforeAll(async () => {
    cluster = await Cluster.start();
    connection = await connectNats({ url: addressOf('MNEME_TEST_NATS_URL'), name: 'test' });
  });
  afterAll(async () => {
    await connection.close();
    await cluster.stop();
    await older?.remove();
  });

  const heldBy = async (worker: Mneme) =>
    (await worker.get<{ work: { holds: readonly string[] } }>('/v3/health')).body.work.holds;
  const holds = (worker: Mneme) =>
    eventually(async () => {
      const held = await heldBy(worker);
      return ['process-manager', 'views'].every((name) => held.includes(name)) ? true : null;
    }, 30_000);

  test(
    'share one cluster, and no lease has two holders',
    async () => {
      const api = await cluster.start('api');
      const first = await cluster.start('worker', { root });
      const history = await LeaseHistory.follow(jetstream(connection), `${cluster.prefix}-leases`);
      await holds(first);
      const second = await cluster.start('worker');
      const done = [await api.addAndWait('A numbat came by.')];
      // The older version does not know all of the work that the newer one does.
      const known = await heldBy(first);
      expect((await heldBy(second)).filter((name) => known.includes(name))).toEqual([]);

      await first.kill('SIGKILL');
      await holds(second);
      const third = await cluster.start('worker', { root });
      done.push(await api.addAndWait('A quokka smiles.'));
      expect(await heldBy(third)).toEqual([]);

      // One that ends in order gives back what it holds.
      await second.stop();
      await holds(third);
      const olderApi = await cluster.start('api', { root });
      done.push(await olderApi.addAndWait('An echidna counts ants.'));
      await viewsServe(olderApi);

      for (const each of [api, olderApi]) {
        const { body } = await each.post<{ results: { documentId: string }[] }>('/v3/search', {
          q: 'numbat quokka ants',
        });
        expect(body.results.map(({ documentId }) => documentId).sort()).toEqual([...done].sort());
      }
      expect(await cluster.cli('replay', '--verify')).toMatchObject({
        code: 0,
        out: expect.stringContaining('No difference: 3'),
      });
      await history.stop();
      expect(history.violations()).toEqual([]);
      expect(history.holdersOf('views')).toBe(3);
      expect(history.holdersOf('process-manager')).toBe(3);
    },
    TIMEOUT_MS,
  );
});
