import type { Live } from '#documents';
import { ModelUnavailableError } from '#models';
import type { VectorCache } from '#vector-cache';
import type { Unit } from '#views';
import { embedUnits, isModelGone, keepVectors } from './embed-units.ts';
import type { ReadySpace, SpaceEmbedders } from './space-embedders.ts';

export interface EmbedOptions {
  readonly embedders: SpaceEmbedders;
  readonly vectors: VectorCache;
  /** @see embedUnits */
  readonly isPresent: () => Promise<boolean>;
}

export interface EmbeddedSpace {
  readonly space: string;
  /** The cache lacked vectors, which were made. */
  readonly renewed: boolean;
}

/**
 * Embeds a document in all spaces whose models are ready, and removes the vectors of its earlier versions.
 * @param units all of the document
 * @returns the serving spaces
 * @throws ModelUnavailableError if no serving space is ready; DocumentOutdatedError
 */
export async function embedDocument(
  options: EmbedOptions,
  document: Live,
  units: readonly Unit[],
): Promise<readonly EmbeddedSpace[]> {
  const { embedders, vectors, isPresent } = options;
  const made = new Map<string, number>();
  for (;;) {
    // Spaces may change while the work is done, so they are looked up again after each.
    const spaces = embedders.ready();
    if (spaces.length === 0) throw new ModelUnavailableError('The model is not ready');
    const next = spaces.find(({ name }) => !made.has(name));
    if (next !== undefined) {
      made.set(next.name, await embedIn(next, options, document, units));
      continue;
    }
    if (document.contentVersion > 1) {
      const keepsTokens = spaces.some(({ embedder }) => embedder.storedTokens !== undefined);
      await keepVectors(vectors, document, units, [...made.keys(), ...embedders.names()], { isPresent, keepsTokens });
    }
    const serving = spaces.filter(({ isServing }) => isServing);
    return serving.map(({ name }) => ({ space: name, renewed: (made.get(name) ?? 0) > 0 }));
  }
}

/** A fault of the model of a space that does not serve does not count against the document. */
async function embedIn(
  space: ReadySpace,
  { embedders, vectors, isPresent }: EmbedOptions,
  document: Live,
  units: readonly Unit[],
): Promise<number> {
  try {
    return await embedUnits(vectors, document, units, space, isPresent);
  } catch (error) {
    const ready = embedders.ready();
    const isNeeded = ready.length === 0 || ready.some(({ name, isServing }) => isServing && name === space.name);
    if (!isModelGone(error) || isNeeded) throw error;
    return 0;
  }
}
