import { DEFAULT_GROUP, GroupEmbedder, Questions } from '#features/vector-spaces';
import { systemScope } from '#platform/kernel';
import { EmbedderOff, type ModelStatus } from '#ports/models';
import { Retrieval } from './retrieval.ts';

class Model extends EmbedderOff {
  override embedQuestion(): Promise<Float32Array> {
    return Promise.resolve(Float32Array.of(1));
  }
}
const PLAN = { scope: systemScope('org'), texts: ['why?'], core: null, isPast: false };
const ready = (name: string): ModelStatus => ({ state: 'ready', space: { name, dimensions: 1 } });
const serving = (status: (space: string) => ModelStatus) =>
  new GroupEmbedder(DEFAULT_GROUP, (space) => new Model(status(space)), 'a');

/** Searches views whose space is one after the other of `spaces`. @returns the spaces that were searched in */
async function searched(group: GroupEmbedder, ...spaces: readonly (string | null)[]): Promise<(string | null)[]> {
  const asked: (string | null)[] = [];
  let looks = 0;
  const views = { vectorSpace: async () => spaces[Math.min(looks++, spaces.length - 1)] ?? null };
  await new Retrieval(new Questions(group, views)).find(PLAN, async (vectors) => {
    asked.push(vectors[0]?.[0]?.space ?? null);
    return [];
  });
  return asked;
}

it('asks once, in the serving space, and does not look at the views while nothing changes', async () => {
  expect(await searched(serving(ready), 'b')).toEqual(['a']);
  expect(
    await searched(
      serving(() => ({ state: 'off' })),
      'b',
    ),
  ).toEqual([null]);
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
    expect(await searched(group, 'a')).toEqual(['a']);
  });

  it('asks again in the new space when the views have changed under the question', async () => {
    group.prepare('b');
    expect(await searched(group, 'b')).toEqual(['a', 'b']);
  });

  it('asks by words where the new model is not there yet', async () => {
    second = { state: 'loading' };
    group.prepare('b');
    expect(await searched(group, 'b')).toEqual(['a', null, null]);
  });

  it('looks also where the change was over before the answer came', async () => {
    group.prepare('b');
    const asked: string[] = [];
    await new Retrieval(new Questions(group, { vectorSpace: async () => 'b' })).find(PLAN, async (vectors) => {
      asked.push(vectors[0]?.[0]?.space ?? '');
      // As the process does when it sees the new views.
      if (asked.length === 1) group.serve('b');
      return [];
    });
    expect(asked).toEqual(['a', 'b']);
  });
});
