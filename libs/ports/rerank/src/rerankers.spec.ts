import { tokenKey } from '#features/vector-spaces/model';
import {
  type ComparisonResult,
  type CrossEncoder,
  EmbedderOff,
  type ModelStatus,
  ModelUnavailableError,
  type TokenEmbedder,
} from '#ports/models';
import { CrossEncoderReranker } from './adapters/cross-encoder/cross-encoder-reranker.ts';
import { MaxSimReranker } from './adapters/max-sim/max-sim-reranker.ts';
import { FirstReranker } from './first-reranker.ts';
import { MOST_COMPUTED, RERANK_MS } from './port.ts';
import { FakeReranker } from './testing.ts';

const SPACE = 'model.2.384';
const READY: ModelStatus = { state: 'ready', space: { name: SPACE, dimensions: 384 } };

/** A model whose score of a passage is its length. Passages of one letter find no time. */
class Tokens extends EmbedderOff {
  override readonly comparesTokens: boolean;
  readonly compared: (readonly string[])[] = [];
  storedTokens: TokenEmbedder | undefined;
  /** Reported after the answer. */
  failure: Error | null = null;

  constructor(comparesTokens = true, status = READY) {
    super(status);
    this.comparesTokens = comparesTokens;
  }

  override async compareTokens(...[, passages, { ended }]: Parameters<EmbedderOff['compareTokens']>) {
    this.compared.push(passages);
    if (this.status().state !== 'ready') throw new ModelUnavailableError('The model is gone');
    setImmediate(ended, this.failure);
    return passages.map(({ length }) => (length === 1 ? null : length));
  }
}

const spacesOf = (embedder: Tokens) => ({
  serving: { embedder },
  find: (space: string) => (space === SPACE ? embedder : null),
});
type Named = readonly [text: string, space: string | null];
const passages = (...list: readonly Named[]) =>
  list.map(([text, space]) => ({ text, space, unitId: `unit ${text}`, organization: 'org' }));
/** Holds the tokens of no unit. */
const NONE = {
  compare: async (_: Promise<Int8Array>, keys: readonly string[]) => keys.map(() => null),
  close: async () => {},
};

let warned: string[];
beforeEach(() => {
  warned = [];
});
const logger = { warn: (message: string) => void warned.push(message) };
const settled = () => new Promise(setImmediate);

describe('MaxSim', () => {
  const rerank = (model: Tokens, ...list: readonly Named[]) =>
    new MaxSimReranker(spacesOf(model), NONE, logger).rerank('q', passages(...list), RERANK_MS);

  test('compares the passages that have a vector, in their order', async () => {
    const model = new Tokens();
    const found = await rerank(model, ['abc', SPACE], ['words only', null], ['x', SPACE], ['ab', SPACE]);
    expect(model.compared).toEqual([['abc', 'x', 'ab']]);
    expect(found).toEqual({ method: 'maxsim', scores: [3, null, null, 2] });
    await settled();
    expect(warned).toEqual([]);
  });

  test.each<[string, Tokens, string | null]>([
    ['no passage has a vector', new Tokens(), null],
    ['this process has no model of the space', new Tokens(), 'other.1.384'],
    ['the space has no basis', new Tokens(false), SPACE],
    ['the model is gone', new Tokens(true, { state: 'unavailable', reason: 'gone' }), SPACE],
  ])('compares nothing if %s', async (_, model, space) => {
    expect(await rerank(model, ['abc', space])).toBeNull();
  });

  test('says whether it can compare at present', () => {
    const methodOf = (model: Tokens) => new MaxSimReranker(spacesOf(model), NONE, logger).method();
    expect(methodOf(new Tokens())).toBe('maxsim');
    expect(methodOf(new Tokens(false))).toBeNull();
    expect(methodOf(new Tokens(true, { state: 'loading' }))).toBeNull();
  });

  describe('of stored tokens', () => {
    /** Whose units are stored with these scores, by their keys. */
    const withStored = (scores: Readonly<Record<string, number>>) => {
      const byKey = new Map(Object.entries(scores).map(([text, score]) => [keyOf(text), score]));
      const compare = async (_: Promise<Int8Array>, keys: readonly string[]) =>
        keys.map((key) => byKey.get(key) ?? null);
      return { compare, close: async () => {} };
    };
    const keyOf = (text: string) => tokenKey(SPACE, 'org', `unit ${text}`);
    const storing = () => {
      const model = new Tokens();
      model.storedTokens = { embedWindows: async () => [], questionTokens: async () => new Int8Array(64) };
      return model;
    };

    test('runs no model for units whose tokens are stored', async () => {
      const model = storing();
      const reranker = new MaxSimReranker(spacesOf(model), withStored({ abc: 0.5, ab: 0.25 }), logger);
      const found = await reranker.rerank('q', passages(['abc', SPACE], ['ab', SPACE]), RERANK_MS);
      expect(found).toEqual({ method: 'maxsim', scores: [0.5, 0.25] });
      expect(model.compared).toEqual([]);
      expect(reranker.most()).toBeGreaterThan(MOST_COMPUTED);
    });

    test('computes the others, as many as without stored tokens', async () => {
      const model = storing();
      const reranker = new MaxSimReranker(spacesOf(model), withStored({ abc: 0.5 }), logger);
      const many = Array.from({ length: 2 * MOST_COMPUTED }, (_, i): Named => [`text ${i}`, SPACE]);
      const found = await reranker.rerank('q', passages(['abc', SPACE], ['by words', null], ...many), RERANK_MS);
      expect(model.compared.flat()).toEqual(many.slice(0, MOST_COMPUTED - 1).map(([text]) => text));
      expect(found?.scores.slice(0, 3)).toEqual([0.5, null, 6]);
      expect(found?.scores.at(-1)).toBeNull();
    });

    test('computes all that it can if the stored ones cannot be read', async () => {
      const failing = { ...NONE, compare: () => Promise.reject(new Error('the disk is gone')) };
      const reranker = new MaxSimReranker(spacesOf(storing()), failing, logger);
      expect(await reranker.rerank('q', passages(['abc', SPACE]), RERANK_MS)).toEqual({
        method: 'maxsim',
        scores: [3],
      });
      expect(warned).toEqual([expect.stringContaining('the disk is gone')]);
    });

    test('looks for none in a space in which none are stored', async () => {
      const reranker = new MaxSimReranker(spacesOf(new Tokens()), withStored({ abc: 0.5 }), logger);
      expect(await reranker.rerank('q', passages(['abc', SPACE]), RERANK_MS)).toEqual({
        method: 'maxsim',
        scores: [3],
      });
      expect(reranker.most()).toBe(MOST_COMPUTED);
    });
  });

  test('logs that comparing failed, but not for every question', async () => {
    const model = new Tokens();
    model.failure = new Error('the embedding process ended');
    const reranker = new MaxSimReranker(spacesOf(model), NONE, logger);
    for (let i = 0; i < 3; i++) await reranker.rerank('q', passages(['abc', SPACE]), RERANK_MS);
    await settled();
    expect(warned).toEqual([expect.stringContaining('the embedding process ended')]);
  });
});

describe('a cross-encoder', () => {
  const BROKEN = new Error('no such input');
  const all = passages(['abc', SPACE], ['d', SPACE]);
  /** Each call is answered with the next of these, and then ends with its error. */
  const modelThat = (...answers: readonly (ComparisonResult & { readonly error: Error | null })[]) => {
    const times: number[] = [];
    const compare: CrossEncoder['compare'] = async (_question, _texts, { withinMs, ended }) => {
      const { error, ...compared } = answers[Math.min(times.length, answers.length - 1)]!;
      times.push(withinMs);
      setImmediate(ended, error);
      return compared;
    };
    return { compare, close: async () => {}, times };
  };
  const works = { scores: [1.5, 2.5], failed: false, error: null };
  const fails = { scores: [null, null], failed: true, error: BROKEN };
  const failsLate = { scores: [null, null], failed: false, error: BROKEN };
  const openWith = (model: ReturnType<typeof modelThat>, next = new FakeReranker({ abc: 0.5 })) => {
    const reranker = new FirstReranker([new CrossEncoderReranker(model, logger), next]);
    const ask = async () => {
      const found = await reranker.rerank('q', all, RERANK_MS);
      await settled();
      return found;
    };
    return { reranker, ask };
  };
  const BY_TOKENS = { method: 'maxsim', scores: [0.5, null] };

  test('comes first, and needs no vectors', async () => {
    const { reranker, ask } = openWith(modelThat(works));
    expect(reranker.method()).toBe('cross-encoder');
    expect(await ask()).toEqual({ method: 'cross-encoder', scores: [1.5, 2.5] });
    expect(warned).toEqual([]);
  });

  test('that fails is replaced by what comes after it, and after three failures is left alone for a while', async () => {
    const model = modelThat(fails);
    const { reranker, ask } = openWith(model);
    for (let i = 0; i < 3; i++) {
      expect(reranker.method()).toBe('cross-encoder');
      expect(await ask()).toEqual(BY_TOKENS);
    }
    expect(reranker.method()).toBe('maxsim');
    expect(await ask()).toEqual(BY_TOKENS);
    expect(model.times).toHaveLength(3);
    expect(warned).toEqual([
      'The cross-encoder failed to compare a question with passages: no such input',
      'The cross-encoder failed 3 times in a row and is not used for 5 minutes: no such input',
    ]);
  });

  test('that fails after the answer is noticed too', async () => {
    const { reranker, ask } = openWith(modelThat(failsLate));
    for (let i = 0; i < 3; i++) {
      expect(await ask()).toEqual({ method: 'cross-encoder', scores: [null, null] });
    }
    expect(reranker.method()).toBe('maxsim');
    expect(warned.join()).toContain('no such input');
  });

  test('that works in between is used further', async () => {
    const { reranker, ask } = openWith(modelThat(fails, fails, works, fails, fails));
    for (let i = 0; i < 5; i++) await ask();
    expect(reranker.method()).toBe('cross-encoder');
  });

  test('shares the time of a question with what comes after it', async () => {
    const times: number[] = [];
    class Timed extends FakeReranker {
      override rerank(...[question, texts, withinMs]: Parameters<FakeReranker['rerank']>) {
        times.push(withinMs);
        return super.rerank(question, texts, withinMs);
      }
    }
    const slow = modelThat(fails);
    const compare: typeof slow.compare = async (...args) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return slow.compare(...args);
    };
    await openWith({ ...slow, compare }, new Timed()).ask();
    expect(times).toHaveLength(1);
    expect(times[0]).toBeLessThanOrEqual(RERANK_MS - 19);
  });

  test('keeps what it had compared when it failed', async () => {
    const { ask } = openWith(modelThat({ ...fails, scores: [1.5, null] }));
    expect(await ask()).toEqual({ method: 'cross-encoder', scores: [1.5, null] });
  });

  test('that is closed reports no failure', async () => {
    const reranker = new CrossEncoderReranker(modelThat(failsLate), logger);
    const asked = reranker.rerank('q', all, RERANK_MS);
    await reranker.close();
    await asked;
    await settled();
    expect(warned).toEqual([]);
  });
});
