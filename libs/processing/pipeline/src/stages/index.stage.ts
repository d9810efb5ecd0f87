import { decideIndexed, indexed } from '#features/documents';
import type { Position } from '#ports/event-store';
import { RECORDED, type Stage } from './stage.ts';

const VIEWS_WAIT_MS = 20_000;
/** Pause before the next try where the views did not catch up. */
const VIEWS_RETRY_MS = 1_000;

/** A document is done when the search finds it, and not before. */
export const index: Stage = {
  name: 'index',
  after: 'embed',
  status: 'indexing',
  runs: 'inline',
  leadsTo: 'done',
  needs: null,
  concurrency: { total: 1024, perTag: 512, bytes: null },
  async run(work, { progress, head, holds }) {
    const { organization, documentId: id, contentVersion, cause } = work.message;
    const caused = (cause?.position as Position | undefined) ?? null;
    const isFound = await progress.reached(caused ?? (await head()), VIEWS_WAIT_MS, { organization, id });
    if (!isFound) {
      // The message is older than the copy that the log was restored from; the process manager sends what is due.
      if (caused !== null && !(await holds(caused))) return RECORDED;
      return { kind: 'retry', at: Date.now() + VIEWS_RETRY_MS };
    }
    // With several workers it was most likely another one that read the document before, so reading it is avoided.
    if (await work.recordAsSeen([indexed(contentVersion)])) return RECORDED;
    await work.record((state) => decideIndexed(state, contentVersion));
    return RECORDED;
  },
};
