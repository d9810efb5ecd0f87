import { decideEmbedded, type Live, unitsOf } from '#documents';
import { hasCode } from '#kernel';
import { ModelUnavailableError } from '#models';
import type { Unit } from '#views';
import { embedUnits, isModelGone, readySpaces, releaseOthers, type Space } from '../embedding.ts';
import { RECORDED, type Stage, type StageTools } from './stage.ts';

/** Makes the vectors of all units. Without a model documents are done by words; vectors follow as a backfill. */
export const embed: Stage = {
  name: 'embed',
  after: 'chunk',
  status: 'embedding',
  runs: 'process',
  leadsTo: 'done',
  needs: 'model',
  concurrency: { total: 80, perTag: 40, bytes: null },
  backlog: async ({ views, embedder }, page) => {
    const status = embedder.status();
    return status.state === 'ready' ? views.withoutVectors({ space: status.space.name, ...page }) : [];
  },
  async run(work, tools) {
    if (readySpaces(tools.embedder).length === 0) return { kind: 'waits', resource: 'model' };
    const document = await work.start();
    if (document === null) return RECORDED;
    const units = await unitsOf(document, tools.texts);
    try {
      const { space, renewed } = await embedInAll(document, units, tools);
      const embedded = { renewed, sizes: { units: units.length } };
      await work.record((state) => decideEmbedded(state, document.contentVersion, space, embedded));
      return RECORDED;
    } catch (error) {
      if (hasCode(error, 'model_unavailable')) return { kind: 'waits', resource: 'model' };
      throw error;
    }
  },
};

/**
 * Embeds in the serving space, and in one that is being built.
 * @returns the serving one, and whether any vector had to be made in it. @throws ModelUnavailableError
 */
async function embedInAll(
  document: Live,
  units: readonly Unit[],
  tools: Pick<StageTools, 'embedder' | 'vectors'>,
): Promise<{ space: string; renewed: boolean }> {
  const { embedder, vectors } = tools;
  const made = new Map<string, number>();
  for (;;) {
    // Spaces may change while the work is done, so they are looked up again after each.
    const spaces = readySpaces(embedder);
    const [serving] = spaces;
    if (serving === undefined) throw new ModelUnavailableError('The model is not ready');
    const next = spaces.find(({ name }) => !made.has(name));
    if (next !== undefined) {
      made.set(next.name, await embedIn(next, document, units, tools));
      continue;
    }
    // Vectors that only earlier versions of the content used are removed.
    if (document.contentVersion > 1) await releaseOthers(vectors, document, units, [...made.keys()]);
    return { space: serving.name, renewed: (made.get(serving.name) ?? 0) > 0 };
  }
}

/** A fault of the model of another space than the serving one does not count against the document. */
async function embedIn(
  space: Space,
  document: Live,
  units: readonly Unit[],
  { embedder, vectors }: Pick<StageTools, 'embedder' | 'vectors'>,
): Promise<number> {
  try {
    return await embedUnits(vectors, document, units, space);
  } catch (error) {
    const [serving] = readySpaces(embedder);
    if (!isModelGone(error) || serving === undefined || serving.name === space.name) throw error;
    return 0;
  }
}
