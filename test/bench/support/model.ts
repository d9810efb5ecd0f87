import { e5SmallV2, modelFolder, modelPaths } from '#ports/models';
import { findTestModel } from '../../../libs/ports/models/src/test-model.ts';
import { SkippedError } from './bench.ts';

export interface Model {
  /** Value of MNEME_MODELS. */
  readonly folder: string;
  readonly files: ReturnType<typeof modelPaths>;
  readonly space: string;
}

/** Finds or installs the real model. @throws SkippedError if it is not available */
export async function findModel(): Promise<Model> {
  const found = await findTestModel();
  if ('missing' in found) throw new SkippedError(`no model: ${found.missing}`);
  const folder = modelFolder(found.dataFolder);
  return { folder, files: modelPaths(folder), space: e5SmallV2.space.name };
}
