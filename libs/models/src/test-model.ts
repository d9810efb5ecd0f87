import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '#config';
import { installModel } from './install-model.ts';
import { e5SmallV2, modelFolder } from './model-files.ts';

/** Shared by the test runs on this machine, so that the model is downloaded once. */
const CACHE = join(tmpdir(), 'mneme-models-test');

/** A data folder that has the real model, or why there is none. Never a stand-in: its vectors would prove nothing. */
export type TestModel = { readonly dataFolder: string } | { readonly missing: string };

export async function findTestModel(): Promise<TestModel> {
  const target = modelFolder(CACHE, e5SmallV2);
  try {
    await mkdir(CACHE, { recursive: true });
    await installModel({ target, modelsFolder: readEnvironment().MNEME_MODELS ?? null });
    return { dataFolder: CACHE };
  } catch (error) {
    const missing = (error as Error).message;
    console.warn(`Tests with the real model are SKIPPED: ${missing}`);
    return { missing };
  }
}
