import { decidePostponed, decideUnchanged, type Live, type TextRef } from '#documents';
import { hasCode } from '#kernel';
import { type Outcome, RECORDED, type StageTools, type StageWork } from '../stages/stage.ts';
import type { ExtractedText } from '../text-jobs.ts';

/**
 * Fetches the page of a document and reads its text.
 * @param record records the text
 */
export async function readPage(
  document: Live,
  url: string,
  { work, tools }: { readonly work: StageWork; readonly tools: StageTools },
  record: (extracted: ExtractedText) => Promise<void>,
): Promise<Outcome> {
  const { contentVersion, formerPage } = document;
  // Texts that wait need the text of the page.
  const known = formerPage === null || document.waiting.length > 0 ? null : document.fetched;
  try {
    return await tools.pages.fetch(url, known, work.deleted, async (page): Promise<Outcome> => {
      if ('unchanged' in page) {
        if (await work.record((state) => decideUnchanged(state, contentVersion, page.unchanged))) return RECORDED;
        // A text has come meanwhile, or the content has changed.
        return { kind: 'retry', at: Date.now() };
      }
      const { path, bytes, contentType, validators } = page;
      const task = { task: 'extract-page', contentType, url: page.url } as const;
      const extracted = await tools.textJobs.extract(document, { task, input: { path }, bytes }, work.deleted);
      if ('refused' in extracted) return { kind: 'failed', reason: extracted.refused };
      const { payload, characters } = extracted;
      const isSame = formerPage !== null && isSameText(formerPage.extracted, payload.text);
      if (isSame && (await work.record((state) => decideUnchanged(state, contentVersion, validators)))) return RECORDED;
      await record({ payload: { ...payload, fetched: validators }, characters });
      return RECORDED;
    });
  } catch (error) {
    if (!hasCode(error, 'fetch_refused', 'fetch_failed')) throw error;
    const pause = tools.pages.pauseAfter(error, document.failedFetches);
    if (pause === null) return { kind: 'failed', reason: { code: error.code, message: error.message } };
    await work.record((state) => decidePostponed(state, contentVersion, pause));
    return RECORDED;
  }
}

/** Blobs of texts are named after their content. */
function isSameText(one: TextRef, other: TextRef | null): boolean {
  if (other === null) return false;
  if ('inline' in one || 'inline' in other) return 'inline' in one && 'inline' in other && one.inline === other.inline;
  return one.blob === other.blob;
}
