import { decideEmbedded, unitsOf } from '#documents';
import { hasCode } from '#kernel';
import { embedDocument } from '#vector-spaces';
import { RECORDED, type Stage } from './stage.ts';

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
    if (tools.embedders.ready().length === 0) return { kind: 'waits', resource: 'model' };
    const document = await work.start();
    if (document === null) return RECORDED;
    const units = await unitsOf(document, tools.texts);
    try {
      const sizes = { units: units.length };
      for (const { space, renewed } of await embedDocument({ ...tools, isPresent: work.isPresent }, document, units)) {
        await work.record((state) => decideEmbedded(state, document.contentVersion, space, { renewed, sizes }));
      }
      return RECORDED;
    } catch (error) {
      if (hasCode(error, 'model_unavailable')) return { kind: 'waits', resource: 'model' };
      if (hasCode(error, 'document_outdated')) return RECORDED;
      throw error;
    }
  },
};
