import type { EventStore } from '#event-store';
import { MODELS } from '#models';
import { vectorSpaceOf } from '#vector-spaces';

/** Of the model that is used unless another space was chosen. */
export const DEFAULT_SPACE = MODELS[0].space.name;

/** Views were made for a space that serves no more; those that serve stay. */
export class VectorSpaceChangedError extends Error {
  override readonly name = 'VectorSpaceChangedError';
}

/** The space that views are made for. */
export async function servingSpace(store: Pick<EventStore, 'readStream'>): Promise<string> {
  return (await vectorSpaceOf(store)).serving ?? DEFAULT_SPACE;
}
