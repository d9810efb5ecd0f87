import { DEFAULT_GROUP, GroupEmbedder, Questions } from '#features/vector-spaces';
import type { OrganizationId } from '#platform/kernel';
import { EmbedderOff, type ModelStatus } from '#ports/models';
import type { UnitHit } from '#read-side/views';
import { conversation, direction, embedded, row, SPACE } from '../../../../read-side/views/src/testing.ts';
import { ORGANIZATION, openUseCases, type UseCases } from '../../../documents/use-cases/src/testing.ts';
import { scored } from './results.ts';
import { type FormVectors, Retrieval, type SearchPlan } from './retrieval.ts';

/** Gives every text the same vector, and remembers the texts. */
class Model extends EmbedderOff {
  readonly asked: string[] = [];
  constructor() {
    super({ state: 'ready', space: { name: SPACE, dimensions: 32 } } satisfies ModelStatus);
  }
  override embedQuestion(text = ''): Promise<Float32Array> {
    this.asked.push(text);
    return Promise.resolve(direction(3));
  }
}

const QUESTION = 'When did Ann see the walrus?';
const CORE = 'see the walrus';

let useCases: UseCases;
let model: Model;
let retrieval: Retrieval;
beforeAll(async () => {
  useCases = await openUseCases();
  const embeddedRow = (id: string, documentDate: string | null) =>
    row(ORGANIZATION, { id, tags: [id], vectorSpaces: [SPACE], documentDate });
  await useCases.show(
    [embeddedRow('talk', '2024-05-08'), conversation(['Ann: the walrus slept', 'Bob: a walrus?'], [3, 4])],
    [embeddedRow('undated', null), conversation(['Ann: the walrus slept'], [3])],
    [embeddedRow('notes', '2024-05-08'), embedded(['the walrus slept'], [3])],
  );
});
afterAll(() => useCases.close());
beforeEach(() => {
  model = new Model();
  retrieval = new Retrieval(new Questions(new GroupEmbedder(DEFAULT_GROUP, () => model, SPACE), useCases.views));
});

const planOf = (organization: string, ...tags: readonly string[]): SearchPlan => ({
  ...{ scope: { organization: organization as OrganizationId, tags }, texts: [QUESTION], core: CORE, isPast: false },
});

async function search(...tags: readonly string[]): Promise<readonly UnitHit[]> {
  const plan = planOf(ORGANIZATION, ...tags);
  const query = { scope: plan.scope, filter: null, filepath: null, documentId: null, question: QUESTION, limit: 10 };
  const [found = []] = await retrieval.find(plan, async ([own = []]) => [
    scored(await useCases.views.search({ ...query, kind: 'memory', vectors: own })),
  ]);
  return found.map(({ hit }) => hit);
}

/** Looks without hits. @returns the vectors of each look */
async function looksFor(plan: SearchPlan): Promise<FormVectors[]> {
  const looks: FormVectors[] = [];
  await retrieval.find(plan, async (vectors) => {
    looks.push(vectors);
    return [];
  });
  return looks;
}

const areRanked = (hits: readonly UnitHit[]) => hits.map(({ features }) => features !== null);

test('a scope of dated conversations is ranked by the features, from its first search on', async () => {
  const first = await search('talk');
  expect(areRanked(first)).toEqual([true, true]);
  expect(await search('talk')).toEqual(first);
});

test('the core of a question is embedded only where the scope holds dated conversations', async () => {
  expect(areRanked(await search('notes', 'undated'))).toEqual([false, false]);
  expect(model.asked).not.toContain(CORE);
  expect(areRanked(await search('notes', 'talk')).filter(Boolean)).toHaveLength(2);
  expect(model.asked).toContain(CORE);
});

test('a known scope is searched once', async () => {
  await search('talk');
  const looks = await looksFor(planOf(ORGANIZATION, 'talk'));
  expect(looks).toHaveLength(1);
  expect(looks[0]?.[0]?.[0]?.core).toBeDefined();
});

test('what is known of a scope is not known of another organization', async () => {
  await search('talk');
  const [look] = await looksFor(planOf('other', 'talk'));
  expect(look?.[0]?.[0]?.core).toBeUndefined();
});

test('a search for passages embeds no core', async () => {
  await search('talk');
  const [look] = await looksFor({ ...planOf(ORGANIZATION, 'talk'), core: null });
  expect(look?.[0]?.[0]?.core).toBeUndefined();
});
