import { type Embedder, EmbedderOff, type ModelStatus } from '#models';
import { Questions } from './questions.ts';

class Model extends EmbedderOff implements Embedder {
  coming: Embedder | null = null;
  readonly #value: number;

  constructor(status: ModelStatus, value: number) {
    super(status);
    this.#value = value;
  }

  override embedQuestion(): Promise<Float32Array> {
    return Promise.resolve(Float32Array.of(this.#value));
  }
}
const ready = (name: string): ModelStatus => ({ state: 'ready', space: { name, dimensions: 1 } });

/** Searches views of the space that `spaces` says, one after the other. @returns the spaces that were searched in */
async function searched(embedder: Embedder, ...spaces: readonly (string | null)[]): Promise<(string | null)[]> {
  const asked: (string | null)[] = [];
  let looks = 0;
  const views = { vectorSpace: async () => spaces[Math.min(looks++, spaces.length - 1)] ?? null };
  const last = await new Questions(embedder, views).search('why?', async (vector) => {
    asked.push(vector?.space ?? null);
    return vector?.space ?? null;
  });
  expect(last).toBe(asked.at(-1));
  return asked;
}

it('asks once, in the space that serves, and does not look at the views while nothing changes', async () => {
  expect(await searched(new Model(ready('a'), 1), 'b')).toEqual(['a']);
  expect(await searched(new EmbedderOff(), 'b')).toEqual([null]);
});

describe('while another space is built', () => {
  const model = new Model(ready('a'), 1);
  beforeEach(() => {
    model.coming = new Model(ready('b'), 2);
  });

  it('asks once as long as the views have not changed', async () => {
    expect(await searched(model, 'a')).toEqual(['a']);
  });

  it('asks again in the new space when the views have changed under the question', async () => {
    expect(await searched(model, 'b')).toEqual(['a', 'b']);
  });

  it('asks by words where the new model is not there yet', async () => {
    model.coming = new Model({ state: 'loading' }, 2);
    expect(await searched(model, 'b')).toEqual(['a', null, null]);
  });

  it('looks also where the change was over before the answer came', async () => {
    const asked: string[] = [];
    await new Questions(model, { vectorSpace: async () => 'b' }).search('why?', async (vector) => {
      asked.push(vector?.space ?? '');
      if (asked.length > 1) return;
      // As the process that follows does: the new model serves, and there is no other any more.
      Object.assign(model, { status: () => ready('b'), coming: null });
    });
    expect(asked).toEqual(['a', 'b']);
  });
});
