import { decideSummarized, SUMMARIZING } from '#features/documents';
import { giveWayToRequests } from '#platform/kernel';
import { RECORDED, type Stage } from './stage.ts';

/**
 * Forms the summary of documents that are done without one: those whose summary was left to vectors when the model went away.
 * Of all others it is formed with their passages or their vectors.
 */
export const summarize: Stage = {
  name: 'summarize',
  after: 'index',
  status: SUMMARIZING,
  runs: 'inline',
  leadsTo: 'backfill',
  needs: null,
  // A long document that is read adds to the memory of the serving process, and nobody waits for its summary: one at a time.
  concurrency: { total: 4, perTag: 4, bytes: 2 * 1024 * 1024 },
  backlog: ({ views }, page) => views.withoutSummary(page),
  async run(work, { summaries }) {
    const document = await work.document();
    if (document === null || document.memories === null) return RECORDED;
    await giveWayToRequests();
    const summary = await summaries.ofDocument(document);
    await work.record((state) => decideSummarized(state, document.contentVersion, summary));
    return RECORDED;
  },
};
