import { systemScope } from '#platform/kernel';
import { EmbedderOff, type ModelStatus } from '#ports/models';
import { GroupEmbedder } from './group-embedder.ts';
import { DEFAULT_GROUP } from './groups.ts';
import { Questions } from './questions.ts';

class Model extends EmbedderOff {
  override embedQuestion(): Promise<Float32Array> {
    return Promise.resolve(Float32Array.of(1));
  }
}
const SCOPE = systemScope('org');
const ready = (name: string): ModelStatus => ({ state: 'ready', space: { name, dimensions: 1 } });
const serving = (status: (space: string) => ModelStatus) =>
  new GroupEmbedder(DEFAULT_GROUP, (space) => new Model(status(space)), 'a');

/** Searches views whose space is one after the other of `spaces`. @returns the spaces that were searched in */
async function searched(group: GroupEmbedder, ...spaces: readonly (string | null)[]): Promise<(string | null)[]> {
  const asked: (string | null)[] = [];
  let looks = 0;
  const views = { vectorSpace: async () => spaces[Math.min(looks++, spaces.length - 1)] ?? null };
  const last = await new Questions(group, views).search(SCOPE, ['why?'], async (vectors) => {
    const vector = vectors[0]?.[0];
    asked.push(vector?.space ?? null);
    return vector?.space ?? null;
  });
  expect(last).toBe(asked.at(-1));
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
    await new Questions(group, { vectorSpace: async () => 'b' }).search(SCOPE, ['why?'], async (vectors) => {
      const vector = vectors[0]?.[0];
      asked.push(vector?.space ?? '');
      // As the process does when it sees the new views.
      if (asked.length === 1) group.serve('b');
    });
    expect(asked).toEqual(['a', 'b']);
  });
});
