import { setTimeout as pause } from 'node:timers/promises';
import { bgeSmallEn, e5SmallV2, type ModelEntry, miniLmL6 } from '#ports/models';
import { findTestModel } from '../../libs/ports/models/src/test-model.ts';
import { eventually, type Mneme } from './mneme.ts';

/** Returns the settings of all models, or the reason why one is unavailable. */
export async function allModels(): Promise<{ readonly env: Record<string, string>; readonly missing: string | null }> {
  const found = [await findTestModel(e5SmallV2), await findTestModel(bgeSmallEn), await findTestModel(miniLmL6)];
  const missing = found.flatMap((one) => ('missing' in one ? [one.missing] : []));
  const [folder] = found.flatMap((one) => ('dataFolder' in one ? [one.dataFolder] : []));
  return {
    env: { MNEME_EMBEDDING: 'local', MNEME_MODELS: `${folder}/models` },
    missing: missing.length > 0 ? missing.join('; ') : null,
  };
}

/** A query that shares no word with COWS. */
export const QUESTION = 'livestock escaped from the pasture';
export const COWS = 'The cattle came through the broken fence on the eastern bank last night.';
/** Returns an unrelated text that is long enough to slow down embedding. */
export const filler = (i: number): string =>
  `On day ${i} the crew repaired ${i * 3} sails and cooked a stew of beans. `.repeat(4);

/** Results with similarity and cosine; equal for the same query in the same space. */
export type Answer = readonly {
  readonly memory: string;
  readonly similarity: string;
  readonly cosine: string | null;
}[];

interface MemoryResult {
  readonly memory: string;
  readonly similarity: number;
  readonly explain: { readonly cosine: number | null };
}

export async function ask(mneme: Mneme, containerTag: string, q = QUESTION, limit = 5): Promise<Answer> {
  const wanted = { q, containerTag, threshold: 0, limit, explain: true };
  const { status, body } = await mneme.post<{ results: readonly MemoryResult[] }>('/v4/search', wanted);
  if (status !== 200) throw new Error(`POST /v4/search returned ${status}: ${JSON.stringify(body)}`);
  return body.results.map(({ memory, similarity, explain: { cosine } }) => ({
    ...{ memory, similarity: similarity.toFixed(4), cosine: cosine?.toFixed(4) ?? null },
  }));
}

/** Adds COWS and unrelated documents. */
export async function addFarm(mneme: Mneme, fillers: number): Promise<void> {
  const ids = [await mneme.add(COWS, { containerTag: 'farm' })];
  for (let i = 0; i < fillers; i += 1) ids.push(await mneme.add(filler(i), { containerTag: 'farm' }));
  for (const id of ids) await mneme.settled(id);
}

/** Waits until queries are embedded by this model. */
export async function serves(mneme: Mneme, model: ModelEntry): Promise<void> {
  await eventually(async () => {
    const { body } = await mneme.get<{ search: { model: string | null } }>('/v3/health');
    return body.search.model === model.space.name ? true : null;
  });
}

/** Milliseconds between searches. More of them would only take processor time from the change. */
const ASK_EVERY_MS = 20;

/** Searches in a loop until stop(), which returns all responses. */
export function keepAsking(mneme: Mneme): { stop(): Promise<readonly Answer[]> } {
  const answers: Answer[] = [];
  let running = true;
  const asking = (async () => {
    for (; running; await pause(ASK_EVERY_MS)) answers.push(await ask(mneme, 'farm'));
  })();
  return {
    stop: async () => {
      running = false;
      await asking;
      return answers;
    },
  };
}

/** Checks that every response equals `before` or `after`, with a single switch between them. */
export function expectSingleSwitch(answers: readonly Answer[], before: Answer, after: Answer): void {
  expect(after).not.toEqual(before);
  expect(answers[0] ?? before).toEqual(before);
  const turn = answers.findIndex((one) => JSON.stringify(one) !== JSON.stringify(before));
  for (const one of turn < 0 ? [] : answers.slice(turn)) expect(one).toEqual(after);
}
