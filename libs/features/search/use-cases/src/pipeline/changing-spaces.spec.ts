import { DEFAULT_GROUP, GroupEmbedder } from '#features/vector-spaces';
import { EmbedderOff, type ModelStatus } from '#ports/models';
import type { UnitSearchQuery, ViewsReader } from '#read-side/views';
import { FakeReranker } from '../../../../../ports/rerank/src/testing.ts';
import { principalOf } from '../../../../documents/use-cases/src/testing.ts';
import { questionsOf } from '../search-handlers.fixture.ts';
import { planMemories } from '../search-memories/plan-memories.ts';
import { NO_EXTRAS, SearchMemories } from '../search-memories/search-memories.query.ts';
import { SearchPipeline } from './search-pipeline.ts';

class Model extends EmbedderOff {
  override embedQuestion(): Promise<Float32Array> {
    return Promise.resolve(Float32Array.of(1));
  }
}
const OPTIONS: SearchMemories['options'] = {
  ...{ question: 'why?', filter: null, filepath: null, limit: 10, threshold: 0 },
  ...{ mode: 'memories' as const, rewriteQuery: false, rerank: false, extras: NO_EXTRAS },
};
const PLAN = planMemories(new SearchMemories(principalOf('all'), [], OPTIONS), 0);
const ready = (name: string): ModelStatus => ({ state: 'ready', space: { name, dimensions: 1 } });
const serving = (status: (space: string) => ModelStatus) =>
  new GroupEmbedder(DEFAULT_GROUP, (space) => new Model(status(space)), 'a');

/**
 * Searches views whose space is one after the other of `spaces`.
 * @param onSearch called after each search
 * @returns the spaces that were searched in
 */
async function searched(
  group: GroupEmbedder,
  spaces: readonly (string | null)[],
  onSearch = () => {},
): Promise<(string | null)[]> {
  const asked: (string | null)[] = [];
  let looks = 0;
  const views = {
    vectorSpace: async () => spaces[Math.min(looks++, spaces.length - 1)] ?? null,
    heldSpaces: async () => [],
    search: async ({ vectors }: UnitSearchQuery) => {
      asked.push(vectors[0]?.space ?? null);
      onSearch();
      return [];
    },
  } as Partial<ViewsReader> as ViewsReader;
  await new SearchPipeline(views, questionsOf(group, views), new FakeReranker()).search(PLAN, null);
  return asked;
}

it('asks once, in the serving space, and does not look at the views while nothing changes', async () => {
  expect(await searched(serving(ready), ['b'])).toEqual(['a']);
  const off = serving(() => ({ state: 'off' }));
  expect(await searched(off, ['b'])).toEqual([null]);
});

describe('while another space is built', () => {
  let group: GroupEmbedder;
  let second: ModelStatus;
  beforeEach(() => {
    second = ready('b');
    group = serving((space) => (space === 'b' ? second : ready(space)));
  });

  it('asks once as long as the views have not changed', async () => {
    group.prepare('b');
    expect(await searched(group, ['a'])).toEqual(['a']);
  });

  it('asks again in the new space when the views have changed under the question', async () => {
    group.prepare('b');
    expect(await searched(group, ['b'])).toEqual(['a', 'b']);
  });

  it('asks by words where the new model is not there yet', async () => {
    second = { state: 'loading' };
    group.prepare('b');
    expect(await searched(group, ['b'])).toEqual(['a', null, null]);
  });

  it('looks also where the change was over before the answer came', async () => {
    group.prepare('b');
    // As the process does when it sees the new views.
    expect(await searched(group, ['b'], () => group.serve('b'))).toEqual(['a', 'b']);
  });
});
