import { e5SmallV2, modelFolder, modelPaths } from '#models';
import { findTestModel } from '../../../libs/models/src/test-model.ts';
import { SkippedError } from './bench.ts';

export interface Model {
  /** Value of MNEME_MODELS that makes a server find it. */
  readonly folder: string;
  readonly files: ReturnType<typeof modelPaths>;
  readonly space: string;
}

/** The real model. @throws SkippedError where it cannot be had */
export async function findModel(): Promise<Model> {
  const found = await findTestModel();
  if ('missing' in found) throw new SkippedError(`no model: ${found.missing}`);
  const folder = modelFolder(found.dataFolder);
  return { folder, files: modelPaths(folder), space: e5SmallV2.space.name };
}
