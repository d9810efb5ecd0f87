import type { Live } from '#features/documents';
import { isOtherThanEnglish } from '#features/search';
import { isOtherLanguage } from '#features/vector-spaces/model';
import { hasCode } from '#platform/kernel';
import { ModelUnavailableError } from '#ports/models';
import type { VectorStore } from '#ports/vector-store';
import type { Unit } from '#read-side/views';
import { embedUnits, isModelGone, keepVectors } from './embed-units.ts';
import type { ReadySpace, SpaceEmbedders } from './space-embedders.ts';

/** UTF-16 code units by which the language is confirmed. */
const SAMPLE = 1_000;

export interface EmbedOptions {
  readonly embedders: SpaceEmbedders;
  readonly vectors: VectorStore;
  /** @see embedUnits */
  readonly isPresent: () => Promise<boolean>;
  /** Called with the tokens that are embedded. While two spaces are filled, they count once. */
  readonly embedded: (tokens: number) => void;
}

export interface EmbeddedSpace {
  readonly space: string;
  /** The cache lacked vectors, which were made. */
  readonly renewed: boolean;
}

/**
 * Embeds a document, and removes the vectors of its earlier versions: one in another language than English in the space of
 * these, as long as its model can be had, every other one in all spaces of the default group whose models are ready.
 * @param units all of the document
 * @returns the serving spaces
 * @throws ModelUnavailableError if no serving space is ready; DocumentOutdatedError
 */
export async function embedDocument(
  options: EmbedOptions,
  document: Live,
  units: readonly Unit[],
): Promise<readonly EmbeddedSpace[]> {
  const { embedders, vectors, isPresent, embedded } = options;
  // A space that replaces the serving one is first.
  const own = isInOtherLanguage(document, units) ? embedders.forLanguages().toReversed() : [];
  for (const space of own) {
    try {
      const made = await embedUnits(vectors, document, units, space, isPresent, embedded);
      if (document.contentVersion > 1 || document.vectorSpace !== null) {
        await keepVectors(vectors, document, units, [space.name, ...embedders.names()], { isPresent });
      }
      return [{ space: space.name, renewed: made > 0 }];
    } catch (error) {
      // No source has it now. Another model finds more than words alone.
      if (!hasCode(error, 'model_unavailable')) throw error;
    }
  }
  return embedInGroup(options, document, units);
}

/** Whether a document is in another language than English, as its units confirm. */
export function isInOtherLanguage({ language }: Live, units: readonly Unit[]): boolean {
  if (language === null || !isOtherLanguage(language)) return false;
  let sample = '';
  for (const { text } of units) {
    if (sample.length >= SAMPLE) break;
    sample += `${text.slice(0, SAMPLE)} `;
  }
  return isOtherThanEnglish(sample, language);
}

async function embedInGroup(
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
      const counted = made.size === 0 ? options : { ...options, embedded: () => {} };
      made.set(next.name, await embedIn(next, counted, document, units));
      continue;
    }
    if (document.contentVersion > 1) {
      const keepsTokens = spaces.some(({ embedder }) => embedder.storedTokens !== undefined);
      const kept = [...made.keys(), ...embedders.names()];
      await keepVectors(vectors, document, units, kept, { isPresent, keepsTokens });
    }
    const serving = spaces.filter(({ isServing }) => isServing);
    return serving.map(({ name }) => ({ space: name, renewed: (made.get(name) ?? 0) > 0 }));
  }
}

/** A fault of the model of a space that does not serve does not count against the document. */
async function embedIn(
  space: ReadySpace,
  { embedders, vectors, isPresent, embedded }: EmbedOptions,
  document: Live,
  units: readonly Unit[],
): Promise<number> {
  try {
    return await embedUnits(vectors, document, units, space, isPresent, embedded);
  } catch (error) {
    const ready = embedders.ready();
    const isNeeded = ready.length === 0 || ready.some(({ name, isServing }) => isServing && name === space.name);
    if (!isModelGone(error) || isNeeded) throw error;
    return 0;
  }
}
