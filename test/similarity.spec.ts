import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { MODELS, type ModelEntry } from '#ports/models';
import { findTestModel } from '../libs/ports/models/src/test-model.ts';
import { NEAR_VERBATIM, PARAPHRASES, type Pair, UNRELATED } from './similarity-pairs.ts';
import { eventually, Mneme } from './support/mneme.ts';

/**
 * Clients keep results from .6 on and treat results from .85 on as the same text. Both thresholds are tested for every
 * model, and independently of the other texts of a container.
 */

const PARAPHRASE = 0.6;
const NEAR_IDENTICAL = 0.85;

interface MeasuredPair extends Pair {
  /** Similarity in a container with no other text. */
  readonly alone: number;
  /** Similarity in a container with all other texts. */
  readonly together: number;
  /** Similarity in a container with all other texts, with a filter that matches only this one. */
  readonly filtered: number;
  /** Similarity by the tokens, in a container with no other text. Null: the model compares none. */
  readonly reranked: number | null;
}

type Result = {
  readonly memory: string;
  readonly similarity: number;
  readonly explain: { readonly rerank?: { readonly method: string } | null };
};

/** Milliseconds to add 240 documents, and to embed and measure them with each model, on a loaded machine. */
const SETUP_TIMEOUT_MS = MODELS.length * 180_000;
const TOGETHER = 'together';
const ALL = [...PARAPHRASES, ...NEAR_VERBATIM, ...UNRELATED];

const found = await Promise.all(MODELS.map(async (model) => ({ model, found: await findTestModel(model) })));
const available = found.flatMap(({ model, found: { missing } }) => (missing === undefined ? [model] : []));

/** What was measured with vectors of each model, and by words only (null). */
const measurements = new Map<ModelEntry | null, ReadonlyMap<Pair, MeasuredPair>>();
const measuredBy = (model: ModelEntry | null) => (pairs: readonly Pair[]) =>
  pairs.map((pair) => measurements.get(model)?.get(pair) as MeasuredPair);

// One server has all texts, and is changed from model to model.
beforeAll(async () => {
  const [{ dataFolder } = {}] = found.flatMap((one) => (one.found.missing === undefined ? [one.found] : []));
  const env = { MNEME_EMBEDDING: 'local', MNEME_MODELS: `${dataFolder}/models` };
  const [first = null, ...others] = available;
  let mneme = await Mneme.start(first === null ? {} : { env });
  try {
    if (first !== null) await modelIsReady(mneme);
    await addAll(mneme);
    if (first !== null) measurements.set(first, await measureAll(mneme, first.tokenBasis !== null));
    for (const model of others) {
      await rebuild(mneme, model, env);
      measurements.set(model, await measureAll(mneme, model.tokenBasis !== null));
    }
    mneme = await mneme.restart('SIGTERM', { MNEME_EMBEDDING: 'off' });
    measurements.set(null, await measureAll(mneme, false));
  } finally {
    await mneme.stop();
  }
}, SETUP_TIMEOUT_MS);

describe.each(found)('with vectors of $model.name', ({ model, found: { missing } }) => {
  if (missing !== undefined) {
    test.skip(`SKIPPED: ${missing}`, () => {});
    return;
  }
  const measured = measuredBy(model);

  test('paraphrases and answers reach .6', () => {
    most(0.9, measured(PARAPHRASES), (similarity) => similarity >= PARAPHRASE);
  });

  test('near-verbatim texts reach .85', () => {
    most(0.95, measured(NEAR_VERBATIM), (similarity) => similarity >= NEAR_IDENTICAL);
  });

  test('unrelated texts stay below .6', () => {
    most(0.95, measured(UNRELATED), (similarity) => similarity < PARAPHRASE);
  });

  test('a similarity does not depend on other texts or filters', () => {
    sameEverywhere(measured(ALL));
  });

  const comparesTokens = model.tokenBasis !== null;

  test(`rerank compares ${comparesTokens ? 'all texts' : 'nothing'} by their tokens`, () => {
    const compared = measured(ALL).filter(({ reranked }) => reranked !== null);
    expect(compared).toHaveLength(comparesTokens ? ALL.length : 0);
  });

  if (!comparesTokens) return;
  test('reranked similarities have the same scale', () => {
    most(0.9, measured(PARAPHRASES), (similarity) => similarity >= PARAPHRASE, ['reranked']);
    most(0.95, measured(NEAR_VERBATIM), (similarity) => similarity >= NEAR_IDENTICAL, ['reranked']);
    most(0.95, measured(UNRELATED), (similarity) => similarity < PARAPHRASE, ['reranked']);
  });
});

describe('by words only', () => {
  const measured = measuredBy(null);

  test('near-verbatim texts reach .85', () => {
    most(0.95, measured(NEAR_VERBATIM), (similarity) => similarity >= NEAR_IDENTICAL);
  });

  test('unrelated texts stay below .6', () => {
    most(0.95, measured(UNRELATED), (similarity) => similarity < PARAPHRASE);
  });

  test('a similarity does not depend on other texts or filters', () => {
    sameEverywhere(measured(ALL));
  });
});

/** Checks a share of all pairs, and of the half that was not used for fitting. */
function most(
  share: number,
  pairs: readonly MeasuredPair[],
  holds: (similarity: number) => boolean,
  places: readonly ('alone' | 'together' | 'reranked')[] = ['alone', 'together'],
): void {
  for (const some of [pairs, pairs.slice(pairs.length / 2)]) {
    for (const where of places) {
      const missed = some.filter((pair) => !holds(pair[where] ?? Number.NaN));
      // Compares lists, so that a failure prints the pairs.
      expect(missed.length <= some.length * (1 - share) + 1e-9 ? [] : missed).toEqual([]);
    }
  }
}

/** In a container with other texts, a similarity can only be capped by a preceding hit. */
function sameEverywhere(pairs: readonly MeasuredPair[]): void {
  for (const { alone, together, filtered } of pairs) {
    expect(filtered).toBeCloseTo(alone, 6);
    expect(together).toBeLessThanOrEqual(alone + 1e-6);
  }
}

/** Measures all pairs on a server that has all texts. */
async function measureAll(mneme: Mneme, comparesTokens: boolean): Promise<ReadonlyMap<Pair, MeasuredPair>> {
  const all = new Map<Pair, MeasuredPair>();
  for (const [number, pair] of ALL.entries()) {
    const similarity = (fields: object) => similarityOf(mneme, pair, fields);
    all.set(pair, {
      ...pair,
      alone: await similarity({ containerTag: ownTag(number) }),
      together: await similarity({ containerTag: TOGETHER }),
      reranked: await rerankedOf(mneme, pair, ownTag(number), comparesTokens),
      filtered: await similarity({
        containerTag: TOGETHER,
        filters: { AND: [{ key: 'number', value: String(number) }] },
      }),
    });
  }
  return all;
}

async function rebuild({ folder }: Mneme, { name }: ModelEntry, env: Readonly<Record<string, string>>): Promise<void> {
  const program = resolve(import.meta.dirname, '../bin/mneme.js');
  const command = spawn(
    process.execPath,
    [program, 'rebuild', '--vector-space', name, '--all-languages', '--json', '--data', folder],
    {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  expect(await once(command, 'exit')).toEqual([0, null]);
}

const ownTag = (number: number): string => `alone-${number}`;

async function addAll(mneme: Mneme): Promise<void> {
  const ids: string[] = [];
  for (const [number, { stored }] of ALL.entries()) {
    for (const containerTag of [ownTag(number), TOGETHER]) {
      ids.push(await mneme.add(stored, { containerTag, metadata: { number } }));
    }
  }
  for (const id of ids) expect(await mneme.settled(id)).toMatchObject({ status: 'done' });
}

/** Returns the similarity, or 0 if the text is not found. */
const similarityOf = async (mneme: Mneme, pair: Pair, fields: object): Promise<number> =>
  (await resultOf(mneme, pair, fields))?.similarity ?? 0;

/**
 * Returns the similarity by the tokens, or null if nothing is compared.
 * @param isCompared asks until it is, because the process that compares may have to start first
 */
async function rerankedOf(mneme: Mneme, pair: Pair, containerTag: string, isCompared: boolean): Promise<number | null> {
  const ask = async () => {
    const result = await resultOf(mneme, pair, { containerTag, rerank: true, explain: true });
    return result?.explain.rerank?.method === 'maxsim' ? result.similarity : null;
  };
  return isCompared ? eventually(ask) : ask();
}

async function resultOf(mneme: Mneme, { asked, stored }: Pair, fields: object): Promise<Result | undefined> {
  const { status, body } = await mneme.post<{ results: readonly Result[] }>('/v4/search', {
    q: asked,
    threshold: 0,
    limit: 100,
    ...fields,
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.results.find(({ memory }) => memory === stored);
}

async function modelIsReady(mneme: Mneme): Promise<void> {
  await eventually(async () => {
    const { body } = await mneme.get<{ model: { state: string } }>('/v3/health');
    return body.model.state === 'ready' ? true : null;
  });
}
