import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { MODELS, type ModelEntry } from '#models';
import { findTestModel } from '../libs/models/src/test-model.ts';
import { NEAR_VERBATIM, PARAPHRASES, type Pair, UNRELATED } from './similarity-pairs.ts';
import { eventually, Mneme } from './support/mneme.ts';

/**
 * What clients do with a similarity: they keep what reaches .6, and take for the same text what reaches .85. Both hold for
 * whatever model there is, and in whatever company a text stands.
 */

const PARAPHRASE = 0.6;
const NEAR_IDENTICAL = 0.85;

interface Measured extends Pair {
  /** In a container that holds nothing else. */
  readonly alone: number;
  /** Among all the other texts. */
  readonly together: number;
  /** Among all the other texts, where a filter leaves this one. */
  readonly filtered: number;
}

type Result = { readonly memory: string; readonly similarity: number };

/** Adds and embeds 240 documents, which takes a while on a busy machine. */
const SETUP_TIMEOUT_MS = 180_000;
const TOGETHER = 'together';
const ALL = [...PARAPHRASES, ...NEAR_VERBATIM, ...UNRELATED];

const found = await Promise.all(MODELS.map(async (model) => ({ model, found: await findTestModel(model) })));

describe.each(found)('by vectors of $model.name and words', ({ model, found: { missing, dataFolder } }) => {
  if (missing !== undefined) {
    test.skip(`SKIPPED: ${missing}`, () => {});
    return;
  }
  const measured = measuredBy({ MNEME_EMBEDDING: 'local', MNEME_MODELS: `${dataFolder}/models` }, model);

  test('paraphrases and answers reach .6', () => {
    most(0.9, measured(PARAPHRASES), (similarity) => similarity >= PARAPHRASE);
  });

  test('near-verbatim texts reach .85', () => {
    most(0.95, measured(NEAR_VERBATIM), (similarity) => similarity >= NEAR_IDENTICAL);
  });

  test('unrelated texts stay below .6', () => {
    most(0.95, measured(UNRELATED), (similarity) => similarity < PARAPHRASE);
  });

  test('neither the rest of the container nor a filter changes a similarity', () => {
    sameEverywhere(measured(ALL));
  });
});

describe('by words alone', () => {
  const measured = measuredBy({ MNEME_EMBEDDING: 'off' });

  test('near-verbatim texts reach .85', () => {
    most(0.95, measured(NEAR_VERBATIM), (similarity) => similarity >= NEAR_IDENTICAL);
  });

  test('unrelated texts stay below .6', () => {
    most(0.95, measured(UNRELATED), (similarity) => similarity < PARAPHRASE);
  });

  test('neither the rest of the container nor a filter changes a similarity', () => {
    sameEverywhere(measured(ALL));
  });
});

/** Holds for this share of all pairs, and of the half that nothing was fitted on, alone as well as together. */
function most(share: number, pairs: readonly Measured[], holds: (similarity: number) => boolean): void {
  for (const some of [pairs, pairs.slice(pairs.length / 2)]) {
    for (const where of ['alone', 'together'] as const) {
      const missed = some.filter((pair) => !holds(pair[where]));
      // The list, so that a failure names the pairs.
      expect(missed.length <= some.length * (1 - share) + 1e-9 ? [] : missed).toEqual([]);
    }
  }
}

/** Among others it can only be capped, by a hit that stands before it. */
function sameEverywhere(pairs: readonly Measured[]): void {
  for (const { alone, together, filtered } of pairs) {
    expect(filtered).toBeCloseTo(alone, 6);
    expect(together).toBeLessThanOrEqual(alone + 1e-6);
  }
}

/** Starts a server with the texts for the tests around, and asks it everything once. */
function measuredBy(
  env: Readonly<Record<string, string>>,
  model = MODELS[0],
): (pairs: readonly Pair[]) => readonly Measured[] {
  let mneme: Mneme;
  const all = new Map<Pair, Measured>();
  beforeAll(async () => {
    mneme = await Mneme.start({ env });
    if (env.MNEME_EMBEDDING !== 'off') await modelIsReady(mneme);
    await addAll(mneme);
    if (model !== MODELS[0]) await rebuild(mneme, model, env);
    for (const [number, pair] of ALL.entries()) {
      const similarity = (fields: object) => similarityOf(mneme, pair, fields);
      all.set(pair, {
        ...pair,
        alone: await similarity({ containerTag: ownTag(number) }),
        together: await similarity({ containerTag: TOGETHER }),
        filtered: await similarity({
          containerTag: TOGETHER,
          filters: { AND: [{ key: 'number', value: String(number) }] },
        }),
      });
    }
  }, SETUP_TIMEOUT_MS);
  afterAll(() => mneme.stop());
  return (pairs) => pairs.map((pair) => all.get(pair) as Measured);
}

async function rebuild({ folder }: Mneme, { name }: ModelEntry, env: Readonly<Record<string, string>>): Promise<void> {
  const program = resolve(import.meta.dirname, '../bin/mneme.js');
  const command = spawn(process.execPath, [program, 'rebuild', '--vector-space', name, '--json', '--data', folder], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
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

/** 0 where the text is not found at all. */
async function similarityOf(mneme: Mneme, { asked, stored }: Pair, fields: object): Promise<number> {
  const { status, body } = await mneme.post<{ results: readonly Result[] }>('/v4/search', {
    q: asked,
    threshold: 0,
    limit: 100,
    ...fields,
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.results.find(({ memory }) => memory === stored)?.similarity ?? 0;
}

async function modelIsReady(mneme: Mneme): Promise<void> {
  await eventually(async () => {
    const { body } = await mneme.get<{ model: { state: string } }>('/v3/health');
    return body.model.state === 'ready' ? true : null;
  });
}
