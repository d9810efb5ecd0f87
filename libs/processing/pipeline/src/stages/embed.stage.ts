import { type DocumentState, decideEmbedded, type Live, unitsOf } from '#features/documents';
import { embedDocument, removeOutdatedVectors } from '#features/vector-spaces';
import { withLanguageSpaces } from '#features/vector-spaces/model';
import { hasCode } from '#platform/kernel';
import { RECORDED, type Stage, type StageTools, type StageWork } from './stage.ts';

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
    return status.state === 'ready'
      ? views.withoutVectors({ spaces: withLanguageSpaces(status.space.name), ...page })
      : [];
  },
  async run(work, tools) {
    if (tools.embedders.ready().length === 0) return { kind: 'waits', resource: 'model' };
    const document = await work.start();
    if (document === null) return RECORDED;
    let isPresent: boolean;
    try {
      isPresent = await embedAndRecord(work, tools, document);
    } catch (error) {
      if (hasCode(error, 'model_unavailable')) return { kind: 'waits', resource: 'model' };
      if (!hasCode(error, 'document_outdated')) throw error;
      isPresent = false;
    }
    if (!isPresent) {
      const { organization, documentId } = work.message;
      await removeOutdatedVectors({ ...tools, spaces: tools.embedders.names() }, organization, documentId);
    }
    return RECORDED;
  },
};

/** Returns whether the version is still the present one. */
async function embedAndRecord(work: StageWork, tools: StageTools, document: Live): Promise<boolean> {
  const units = await unitsOf(document, tools.texts);
  const sizes = { units: units.length };
  let isPresent = true;
  const embedded = (tokens: number) => tools.embedded(document.organization, tokens);
  const options = { ...tools, isPresent: work.isPresent, embedded };
  const [first, ...others] = await embedDocument(options, document, units);
  // That of a memory would repeat it.
  const hasSummary = first !== undefined && document.memory === null;
  const summary = hasSummary ? await tools.summaries.ofUnits(document, units, first.space) : undefined;
  for (const { space, renewed } of first ? [first, ...others] : []) {
    const outcome = { renewed, sizes, ...(summary !== undefined && { summary }) };
    const decide = (state: DocumentState) => decideEmbedded(state, document.contentVersion, space, outcome);
    if (!(await work.record(decide))) isPresent = false;
  }
  return isPresent;
}
