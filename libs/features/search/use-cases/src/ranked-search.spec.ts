import { DEFAULT_GROUP, GroupEmbedder, Questions } from '#features/vector-spaces';
import type { OrganizationId, Scope } from '#platform/kernel';
import { EmbedderOff, type ModelStatus } from '#ports/models';
import type { UnitHit } from '#read-side/views';
import { conversation, direction, embedded, row, SPACE } from '../../../../read-side/views/src/testing.ts';
import { ORGANIZATION, openUseCases, type UseCases } from '../../../documents/use-cases/src/testing.ts';
import { RankedSearch } from './ranked-search.ts';

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
let ranked: RankedSearch;
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
  const { views } = useCases;
  ranked = new RankedSearch(views, new Questions(new GroupEmbedder(DEFAULT_GROUP, () => model, SPACE), views));
});

function search(...tags: readonly string[]): Promise<readonly UnitHit[]> {
  const scope: Scope = { organization: ORGANIZATION as OrganizationId, tags };
  const query = { scope, filter: null, filepath: null, documentId: null, question: QUESTION, limit: 10 };
  return ranked.search(scope, [QUESTION], ({ vectors: [own = []], search: look }) =>
    look({ ...query, kind: 'memory', vectors: own }),
  );
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
  let looks = 0;
  await ranked.search({ organization: ORGANIZATION, tags: ['talk'] }, [QUESTION], async ({ vectors }) => {
    looks += 1;
    expect(vectors[0]?.[0]?.core).toBeDefined();
  });
  expect(looks).toBe(1);
});

test('what is known of a scope is not known of another organization', async () => {
  await search('talk');
  await ranked.search({ organization: 'other' as OrganizationId, tags: ['talk'] }, [QUESTION], async ({ vectors }) => {
    expect(vectors[0]?.[0]?.core).toBeUndefined();
  });
});
