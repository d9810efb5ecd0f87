import type { EventStore } from '#event-store';
import { MnemeError } from '#kernel';
import { MODELS } from '#models';
import { vectorSpaceOf } from '#vector-spaces';

/** Of the model that is used unless another space was chosen. */
export const DEFAULT_SPACE = MODELS[0].space.name;

/** Views were made for a space that serves no more; those that serve stay. */
export class VectorSpaceChangedError extends MnemeError {
  override readonly name = 'VectorSpaceChangedError';
  override readonly kind = 'fenced';
  override readonly code = 'vector_space_changed';
}

/** The space that views are made for. */
export async function servingSpace(store: Pick<EventStore, 'readStream'>): Promise<string> {
  return (await vectorSpaceOf(store)).serving ?? DEFAULT_SPACE;
}
