import { type CrossEncoder, EmbedderOff, type ModelStatus } from '#models';
import { CrossEncoderReranker } from './adapters/cross-encoder/cross-encoder-reranker.ts';
import { MaxSimReranker } from './adapters/max-sim/max-sim-reranker.ts';
import { FirstReranker } from './first-reranker.ts';
import { FakeReranker } from './testing.ts';

const SPACE = 'model.2.384';
const READY: ModelStatus = { state: 'ready', space: { name: SPACE, dimensions: 384 } };

/** A model whose score of a passage is its length. Passages of one letter find no time. */
class Tokens extends EmbedderOff {
  override readonly comparesTokens: boolean;
  readonly compared: (readonly string[])[] = [];

  constructor(comparesTokens = true, status = READY) {
    super(status);
    this.comparesTokens = comparesTokens;
  }

  override async compareTokens(_question?: string, passages: readonly string[] = []) {
    this.compared.push(passages);
    if (this.status().state !== 'ready') return super.compareTokens();
    return passages.map(({ length }) => (length === 1 ? null : length));
  }
}

const spacesOf = (embedder: Tokens) => ({
  serving: { embedder },
  find: (space: string) => (space === SPACE ? embedder : null),
});
const passages = (...list: readonly (readonly [text: string, space: string | null])[]) =>
  list.map(([text, space]) => ({ text, space }));

describe('MaxSim', () => {
  test('compares the passages that have a vector, in their order', async () => {
    const model = new Tokens();
    const found = await new MaxSimReranker(spacesOf(model)).rerank(
      'q',
      passages(['abc', SPACE], ['words only', null], ['x', SPACE], ['ab', SPACE]),
    );
    expect(model.compared).toEqual([['abc', 'x', 'ab']]);
    expect(found).toEqual({ method: 'maxsim', scores: [3, null, null, 2] });
  });

  test.each<[string, Tokens, string | null]>([
    ['no passage has a vector', new Tokens(), null],
    ['this process has no model of the space', new Tokens(), 'other.1.384'],
    ['the space has no basis', new Tokens(false), SPACE],
    ['the model is gone', new Tokens(true, { state: 'unavailable', reason: 'gone' }), SPACE],
  ])('compares nothing if %s', async (_, model, space) => {
    expect(await new MaxSimReranker(spacesOf(model)).rerank('q', passages(['abc', space]))).toBeNull();
  });

  test('says whether it can compare at present', () => {
    expect(new MaxSimReranker(spacesOf(new Tokens())).method()).toBe('maxsim');
    expect(new MaxSimReranker(spacesOf(new Tokens(false))).method()).toBeNull();
    expect(new MaxSimReranker(spacesOf(new Tokens(true, { state: 'loading' }))).method()).toBeNull();
  });
});

describe('a cross-encoder', () => {
  const warned: string[] = [];
  const logger = { warn: (message: string) => void warned.push(message) };
  const modelThat = (compare: CrossEncoder['compare']) => ({ compare, close: async () => {} });

  test('comes first, and needs no vectors', async () => {
    const model = modelThat(async (_, texts) => ({ scores: texts.map(() => 1.5), error: null }));
    const reranker = new FirstReranker([new CrossEncoderReranker(model, logger), new FakeReranker({ abc: 0.5 })]);
    expect(reranker.method()).toBe('cross-encoder');
    expect(await reranker.rerank('q', passages(['abc', null]))).toEqual({ method: 'cross-encoder', scores: [1.5] });
  });

  test('that fails is replaced by what comes after it, and is left alone for a while', async () => {
    let asked = 0;
    const model = modelThat(async () => {
      asked += 1;
      return { scores: [null], error: new Error('no such input') };
    });
    const reranker = new FirstReranker([new CrossEncoderReranker(model, logger), new FakeReranker({ abc: 0.5 })]);
    for (let i = 0; i < 2; i++) {
      expect(await reranker.rerank('q', passages(['abc', SPACE]))).toEqual({ method: 'maxsim', scores: [0.5] });
    }
    expect([asked, reranker.method()]).toEqual([1, 'maxsim']);
    expect(warned.join()).toContain('no such input');
  });
});
