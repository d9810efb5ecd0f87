import { bgeSmallEn, e5SmallV2, type ModelEntry, miniLmL6 } from '#models';
import { findTestModel } from '../../libs/models/src/test-model.ts';
import { eventually, type Mneme } from './mneme.ts';

/** Settings with which processes find every model, or why one of them cannot be had. */
export async function allModels(): Promise<{ readonly env: Record<string, string>; readonly missing: string | null }> {
  const found = [await findTestModel(e5SmallV2), await findTestModel(bgeSmallEn), await findTestModel(miniLmL6)];
  const missing = found.flatMap((one) => ('missing' in one ? [one.missing] : []));
  const [folder] = found.flatMap((one) => ('dataFolder' in one ? [one.dataFolder] : []));
  return {
    env: { MNEME_EMBEDDING: 'local', MNEME_MODELS: `${folder}/models` },
    missing: missing.length > 0 ? missing.join('; ') : null,
  };
}

/** Of what stands in the text in other words only. */
export const QUESTION = 'livestock escaped from the pasture';
export const COWS = 'The cattle came through the broken fence on the eastern bank last night.';
/** A text that has nothing to do with it, and takes a moment to embed. */
export const filler = (i: number): string =>
  `On day ${i} the crew repaired ${i * 3} sails and cooked a stew of beans. `.repeat(4);

/** What was found, how near, and by which cosine: the same for the same question in the same space. */
export type Answer = readonly {
  readonly memory: string;
  readonly similarity: string;
  readonly cosine: string | null;
}[];

interface Found {
  readonly memory: string;
  readonly similarity: number;
  readonly explain: { readonly cosine: number | null };
}

export async function ask(mneme: Mneme, containerTag: string, q = QUESTION, limit = 5): Promise<Answer> {
  const wanted = { q, containerTag, threshold: 0, limit, explain: true };
  const { status, body } = await mneme.post<{ results: readonly Found[] }>('/v4/search', wanted);
  if (status !== 200) throw new Error(`the search was answered with ${status}: ${JSON.stringify(body)}`);
  return body.results.map(({ memory, similarity, explain: { cosine } }) => ({
    ...{ memory, similarity: similarity.toFixed(4), cosine: cosine?.toFixed(4) ?? null },
  }));
}

/** Adds the cattle among much else. */
export async function addFarm(mneme: Mneme, fillers: number): Promise<void> {
  const ids = [await mneme.add(COWS, { containerTag: 'farm' })];
  for (let i = 0; i < fillers; i += 1) ids.push(await mneme.add(filler(i), { containerTag: 'farm' }));
  for (const id of ids) await mneme.settled(id);
}

/** Awaits that questions are embedded by this model. */
export async function serves(mneme: Mneme, model: ModelEntry): Promise<void> {
  await eventually(async () => {
    const { body } = await mneme.get<{ search: { model: string | null } }>('/v3/health');
    return body.search.model === model.space.name ? true : null;
  });
}

/** Asks again and again until it is stopped; then says all that was answered. */
export function keepAsking(mneme: Mneme): { stop(): Promise<readonly Answer[]> } {
  const answers: Answer[] = [];
  let running = true;
  const asking = (async () => {
    while (running) answers.push(await ask(mneme, 'farm'));
  })();
  return {
    stop: async () => {
      running = false;
      await asking;
      return answers;
    },
  };
}

/** Every answer is that from before or that from after, and none from before comes after one from after. */
export function expectOneTurn(answers: readonly Answer[], before: Answer, after: Answer): void {
  expect(after).not.toEqual(before);
  const turn = answers.findIndex((one) => JSON.stringify(one) !== JSON.stringify(before));
  expect(turn).not.toBe(0);
  for (const one of turn < 0 ? [] : answers.slice(turn)) expect(one).toEqual(after);
}
