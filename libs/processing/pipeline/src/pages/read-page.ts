import { decideDelayed, decideUnchanged, type Live, type TextRef, type Validators } from '#features/documents';
import { FetchFailedError } from '#platform/fetch';
import { hasCode } from '#platform/kernel';
import { type SitePage, sitePageOf } from '#processing/extraction';
import { type Outcome, RECORDED, type StageTools, type StageWork } from '../stages/stage.ts';
import type { ExtractedText, NextPart, ReadingOptions } from '../text-jobs.ts';

/** Fetches for one page: what the URL leads to, and of a site its page, the text, and what serves instead. */
const MAX_PARTS = 4;
const NO_VALIDATORS: Validators = { etag: null, lastModified: null };

interface PageWork {
  readonly work: StageWork;
  readonly tools: StageTools;
  /** Brief: reading that takes long is deferred to a queue of its own, which fetches the page again. */
  readonly reading: ReadingOptions;
}

/** What is fetched for a document. */
interface Part {
  readonly address: string;
  /** Null: the address is the URL itself. */
  readonly site: SitePage['site'] | null;
  /** What the part before has said. */
  readonly before: NextPart['before'] | null;
}

/**
 * Fetches the page of a document and reads its text.
 * @param record records the text
 */
export async function readPage(
  document: Live,
  url: string,
  pageWork: PageWork,
  record: (extracted: ExtractedText) => Promise<void>,
): Promise<Outcome> {
  const { work, tools } = pageWork;
  let part = partOf(url);
  try {
    if (part.site !== null) await tools.pages.permit(url, work.outdated);
    for (let parts = 1; parts <= MAX_PARTS; parts += 1) {
      const outcome: Outcome | Part = await readPart(document, part, parts === 1, pageWork, record);
      if ('kind' in outcome) return outcome;
      part = outcome;
    }
    throw new Error(`the site ${part.site?.name} leads on after ${MAX_PARTS} fetches`);
  } catch (error) {
    if (!hasCode(error, 'fetch_refused', 'fetch_failed')) throw error;
    const { code, message } = error;
    const pause = tools.pages.pauseAfter(error, document.failedFetches);
    if (pause !== null) {
      await work.record((state) => decideDelayed(state, document.contentVersion, pause, { code, message }));
      return RECORDED;
    }
    const isGivenUp = error instanceof FetchFailedError && error.isTemporary && !error.isUnknownName;
    const reason = { code, message: isGivenUp ? `${message} Add it again later.` : message };
    if (part.site === null || code === 'fetch_refused') return { kind: 'failed', reason };
    const { advice, type } = part.site;
    return { kind: 'failed', reason: { code, message: `${reason.message} ${advice}`, type } };
  }
}

function partOf(url: string): Part {
  const { address, site } = sitePageOf(url) ?? { address: url, site: null };
  return { address, site, before: null };
}

async function readPart(
  document: Live,
  { address, site, before }: Part,
  isFirst: boolean,
  { work, tools, reading }: PageWork,
  record: (extracted: ExtractedText) => Promise<void>,
): Promise<Outcome | Part> {
  const { contentVersion, formerPage } = document;
  // Texts that wait need the text of the page.
  const isWanted = formerPage === null || document.waiting.length > 0 || !isFirst;
  const known = isWanted ? null : document.fetched;
  const request = { address, known, isPart: site !== null, queue: reading.isBrief ? 'brief' : 'long' } as const;
  return tools.pages.fetch(request, work.outdated, async (page): Promise<Outcome | Part> => {
    if ('unchanged' in page) {
      if (await work.record((state) => decideUnchanged(state, contentVersion, page.unchanged))) return RECORDED;
      // A text has come meanwhile, or the content has changed.
      return { kind: 'retry', at: Date.now() };
    }
    const { path, bytes, url, contentType, fileName } = page;
    // A short link can lead to a site; robots.txt was asked about each redirect.
    const led = site === null ? partOf(url) : null;
    if (led?.site) return led;
    // What the first of several parts is compared with says nothing of the others.
    const validators = isFirst ? page.validators : NO_VALIDATORS;
    const file = { path, bytes, url, contentType, fileName, site: site && { name: site.name, before } };
    const extracted = await tools.textJobs.extractPage(document, file, reading);
    if ('long' in extracted) {
      await work.defer(extracted.long);
      return RECORDED;
    }
    if ('next' in extracted) return { address: extracted.next, site, before: extracted.before };
    if ('refused' in extracted) return { kind: 'failed', reason: extracted.refused };
    const { payload, characters } = extracted;
    const isSame = formerPage !== null && isSameText(formerPage.extracted, payload.text);
    if (isSame && (await work.record((state) => decideUnchanged(state, contentVersion, validators)))) return RECORDED;
    await record({ payload: { ...payload, fetched: validators }, characters });
    return RECORDED;
  });
}

/** Blobs of texts are named after their content. */
function isSameText(one: TextRef, other: TextRef | null): boolean {
  if (other === null) return false;
  if ('inline' in one || 'inline' in other) return 'inline' in one && 'inline' in other && one.inline === other.inline;
  return one.blob === other.blob;
}
