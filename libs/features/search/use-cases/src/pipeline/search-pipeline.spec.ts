import type { Scope } from '#platform/kernel';
import { EmbedderOff, type ModelStatus } from '#ports/models';
import type { UnitHit, UnitSearchQuery, ViewsReader } from '#read-side/views';
import { FakeReranker } from '../../../../../ports/rerank/src/testing.ts';
import { conversation, direction, embedded, row, SPACE, unitSet } from '../../../../../read-side/views/src/testing.ts';
import {
  OF_OTHER_ORGANIZATION,
  ORGANIZATION,
  openUseCases,
  principalOf,
  type UseCases,
} from '../../../../documents/use-cases/src/testing.ts';
import { questionsBy } from '../search-handlers.fixture.ts';
import { planMemories } from '../search-memories/plan-memories.ts';
import { NO_EXTRAS, SearchMemories } from '../search-memories/search-memories.query.ts';
import { SearchPipeline } from './search-pipeline.ts';

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
let pipeline: SearchPipeline;
/** What the views were asked since the last search began. */
let looks: UnitSearchQuery[];
beforeAll(async () => {
  useCases = await openUseCases();
  const embeddedRow = (id: string, documentDate: string | null) =>
    row(ORGANIZATION, { id, tags: [id], vectorSpaces: [SPACE], documentDate });
  await useCases.show(
    [embeddedRow('talk', '2024-05-08'), conversation(['Ann: the walrus slept', 'Bob: a walrus?'], [3, 4])],
    [embeddedRow('undated', null), conversation(['Ann: the walrus slept'], [3])],
    [embeddedRow('notes', '2024-05-08'), embedded(['the walrus slept'], [3])],
    ...Array.from({ length: 8 }, (_, i) => repeated(`again-${i}`, 'A walrus sleeps.')),
    repeated('other', 'A walrus sleeps in the bath of the zoo.'),
  );
});
afterAll(() => useCases.close());

const repeated = (id: string, text: string) => [row(ORGANIZATION, { id, tags: ['same'] }), unitSet(text)] as const;

beforeEach(() => {
  model = new Model();
  const { views } = useCases;
  const observed = {
    search: (query: UnitSearchQuery) => {
      looks.push(query);
      return views.search(query);
    },
  } as Partial<ViewsReader> as ViewsReader;
  pipeline = new SearchPipeline(
    observed,
    questionsBy(() => model, SPACE, views),
    new FakeReranker(),
  );
});

interface Changes {
  readonly principal?: ReturnType<typeof principalOf>;
  readonly options?: Partial<SearchMemories['options']>;
}

async function search(tags: Scope['tags'], { principal = principalOf(tags), options = {} }: Changes = {}) {
  looks = [];
  const all: SearchMemories['options'] = {
    ...{ question: QUESTION, filter: null, filepath: null, limit: 10, threshold: 0 },
    ...{ mode: 'memories' as const, rewriteQuery: false, rerank: false, extras: NO_EXTRAS, ...options },
  };
  const { hits } = await pipeline.search(planMemories(new SearchMemories(principal, [], all), 0), null);
  return hits.flat().map(({ hit }) => hit);
}

const areRanked = (hits: readonly UnitHit[]) => hits.map(({ features }) => features !== null);
const coresOf = () => looks.map(({ vectors }) => vectors.map(({ core }) => core !== undefined));

test('a scope of dated conversations is ranked by the features, from its first search on', async () => {
  const first = await search(['talk']);
  expect(areRanked(first)).toEqual([true, true]);
  expect(coresOf()).toEqual([[false], [true]]);
  expect(await search(['talk'])).toEqual(first);
});

test('the core of a question is embedded only where the scope holds dated conversations', async () => {
  expect(areRanked(await search(['notes', 'undated']))).toEqual([false, false]);
  expect(model.asked).not.toContain(CORE);
  expect(areRanked(await search(['notes', 'talk'])).filter(Boolean)).toHaveLength(2);
  expect(model.asked).toContain(CORE);
});

test('a known scope is searched once', async () => {
  await search(['talk']);
  await search(['talk']);
  expect(coresOf()).toEqual([[true]]);
});

test('what is known of a scope is not known of another organization', async () => {
  await search(['talk']);
  await search(['talk'], { principal: { ...OF_OTHER_ORGANIZATION, tags: ['talk'] } });
  expect(coresOf()).toEqual([[false]]);
});

test('a search for passages embeds no core, and one for both kinds compares it with memories alone', async () => {
  await search(['talk']);
  await search(['talk'], { options: { mode: 'documents' } });
  expect(coresOf()).toEqual([[false]]);
  await search(['talk'], { options: { mode: 'hybrid' } });
  expect(looks.map(({ kind, vectors }) => [kind, vectors[0]?.core !== undefined])).toEqual([
    ['memory', true],
    ['chunk', false],
  ]);
});

describe('repetitions that fill the answer', () => {
  const options = { question: 'walrus', limit: 2 };

  test('are looked behind once', async () => {
    const texts = (await search(['same'], { options })).map(({ unit }) => unit.text);
    expect(looks.map(({ limit }) => limit)).toEqual([4, 16]);
    expect(new Set(texts).size).toBe(2);
  });

  test('are results where the request wants them', async () => {
    await search(['same'], { options: { ...options, withRepetition: true } });
    expect(looks.map(({ limit }) => limit)).toEqual([4]);
  });
});
