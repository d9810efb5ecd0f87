import { e5SmallV2 } from '#models';
import { Cluster } from './support/cluster.ts';
import { eventually, type Mneme } from './support/mneme.ts';
import { addFarm, allModels, ask, COWS, expectNoReturn, keepAsking, serves } from './support/vector-space.ts';

/** The move from a former space of the present model, which workers begin by themselves. */

/** Until every document is embedded in another space on a slow machine. Milliseconds. */
const MOVE_TIMEOUT_MS = 180_000;
const DOCUMENTS = 30;

const { env, missing } = await allModels();
const withModels = missing === null ? describe : describe.skip;

withModels(`a former space in a cluster${missing === null ? '' : ` (SKIPPED: ${missing})`}`, () => {
  let cluster: Cluster;
  let api: Mneme;
  beforeAll(async () => {
    cluster = await Cluster.start({ env: { ...env, MNEME_LOG_LEVEL: 'info' } });
    api = await cluster.start('api');
  });
  afterAll(() => cluster.stop());

  /** Whether a worker moves documents. It says so when it begins. */
  const moves = ({ output }: Mneme) => output.some((line) => line.includes('are embedded in the vector space'));

  test('is replaced although the worker that moves the documents is killed, and every answer is of one space', async () => {
    const [name = ''] = e5SmallV2.formerSpaces;
    const former = { ...e5SmallV2, space: { ...e5SmallV2.space, name } };
    const first = await cluster.start('worker');
    await serves(api, e5SmallV2, MOVE_TIMEOUT_MS);
    await addFarm(api, DOCUMENTS);
    const present = await ask(api, 'farm');
    expect(await cluster.cli('rebuild', '--vector-space', name, '--release-others')).toMatchObject({ code: 0 });
    await serves(api, former, MOVE_TIMEOUT_MS);
    const before = await ask(api, 'farm');
    expect([before[0]?.memory, present[0]?.memory]).toEqual([COWS, COWS]);
    expect(before).not.toEqual(present);
    // What an operator has selected holds until the workers start again.
    await first.stop();

    const asking = keepAsking(api);
    const workers = await Promise.all([cluster.start('worker'), cluster.start('worker')]);
    const moving = await eventually(async () => workers.find(moves) ?? null, MOVE_TIMEOUT_MS);
    await moving.kill();
    await serves(api, e5SmallV2, MOVE_TIMEOUT_MS);
    const answers = [...(await asking.stop()), await ask(api, 'farm')];
    expectNoReturn(answers, before, present);
    expect(answers.at(-1)).toEqual(present);
    const [other] = workers.filter((worker) => worker !== moving);
    await eventually(
      async () => (other?.output.some((line) => line.includes('are removed')) ? true : null),
      MOVE_TIMEOUT_MS,
    );
  }, 900_000);
});
