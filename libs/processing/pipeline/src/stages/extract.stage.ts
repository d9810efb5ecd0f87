import {
  type ContentExtracted,
  compareWaiting,
  type DocumentTexts,
  decideExtracted,
  type Live,
  type Pieces,
  type ShownPictures,
  type TextRef,
  type Transcript,
  type WaitingChanges,
} from '#features/documents';
import { giveWayToRequests } from '#platform/kernel';
import { type ExtractedDocument, extractDocument, type LongWork, type Source } from '#processing/extraction';
import { extractedPayload } from '../extracted-payload.ts';
import type { ExtractionJob } from '../extraction-jobs.ts';
import { reasonOf } from '../failure-reason.ts';
import { LongReading } from '../long-reading.ts';
import { readPage } from '../pages/read-page.ts';
import { readPictures } from '../pictures/read-pictures.ts';
import type { DeferredReading, ExtractedText, ReadingOptions, ReadingRefusal } from '../text-jobs.ts';
import { formPieces } from './pieces.ts';
import { type Outcome, RECORDED, type Stage, type StageTools, type StageWork } from './stage.ts';

const COMMON = { after: null, status: 'extracting', runs: 'process', leadsTo: 'done', needs: null } as const;

/** Text in pictures, and small files that take long. Their places in the pool are few: each takes seconds to minutes. */
const recognize: Stage = {
  ...COMMON,
  name: 'recognize' satisfies LongWork,
  concurrency: { total: 4, perTag: 2, bytes: null },
  run: readLong,
};

/** Recordings: one is written down at a time, for minutes, and the next one is at hand. */
const transcribe: Stage = {
  ...COMMON,
  name: 'transcribe' satisfies LongWork,
  concurrency: { total: 2, perTag: 1, bytes: null },
  run: readLong,
};

/** Reads the text of a document. A short text is cut into chunks and memories in the same append. */
export const extract: Stage = {
  ...COMMON,
  name: 'extract',
  concurrency: { total: 64, perTag: 32, bytes: 256 * 1024 * 1024 },
  queues: [recognize, transcribe],
  run: (work, tools) => read(work, tools, null),
};

/** What is finished is kept while a next attempt may need it. */
async function readLong(work: StageWork, tools: StageTools): Promise<Outcome> {
  const long = new LongReading({ readings: tools.readings, work });
  try {
    const outcome = await read(work, tools, long);
    await long.remove();
    return outcome;
  } catch (error) {
    // What is finished may be of use to the next attempt, unless the file can never be read.
    if (reasonOf(error) === null) await long.close();
    const isOutdated = work.outdated.aborted || long.outdated.aborted;
    if (isOutdated || reasonOf(error) !== null) await long.remove();
    if (isOutdated) return RECORDED;
    throw error;
  }
}

/** @param long null: work that takes long is deferred to its queue */
async function read(work: StageWork, tools: StageTools, long: LongReading | null): Promise<Outcome> {
  const { texts, textJobs } = tools;
  const isBrief = long === null;
  const signal = long === null ? work.outdated : AbortSignal.any([work.outdated, long.outdated]);
  const { caller } = work.message;
  const reading: ReadingOptions = { signal, caller, isBrief, ...(long && { keeper: long }) };
  const found = await work.document();
  if (found === null) return RECORDED;
  const shown = await tools.pictures.known.shownIn(found);
  if (isBrief && shown !== null && (await hasNewPictures(shown, found))) return defer(work, 'recognize');
  const queue = isBrief ? 'brief' : 'long';
  const document = shown === null ? found : await readPictures({ document: found, shown }, queue, work, tools);
  if (document === null) return RECORDED;
  const transcript = shown === null ? null : await shown.transcript(document);
  const source = await textJobs.sourceOf(document, transcript);
  if ('refused' in source) return { kind: 'failed', reason: source.refused };
  const start = async () => work.start({ hasProgressed: (await long?.hasProgressed(document)) ?? false });
  if ('page' in source) {
    const present = await start();
    if (present === null) return RECORDED;
    return readPage(present, source.page, { work, tools, reading }, async ({ payload, characters }) =>
      record(work, tools, present, { payload, sizes: { characters } }),
    );
  }
  if ('inline' in source) {
    const chunkTokens = await tools.chunkTokens(work.message);
    await giveWayToRequests();
    const extracted = await extractDocument(source.inline, chunkTokens);
    const payload = await storeText(texts, document, { source: source.inline, transcript }, extracted);
    const pieces = await formPieces(tools, document, extracted.text, extracted);
    const sizes = { characters: extracted.text.length };
    await record(work, tools, document, { payload, sizes, pieces });
    return RECORDED;
  }
  if (isBrief && source.job.long) return defer(work, source.job.long);
  if ((await start()) === null) return RECORDED;
  const extracted = await extractedBy(tools, document, source.job, reading);
  if ('refused' in extracted) return { kind: 'failed', reason: extracted.refused };
  if ('long' in extracted) return defer(work, extracted.long);
  const { payload, characters } = extracted;
  const text = payload.text ?? (await storeTranscript(texts, document, transcript));
  await record(work, tools, document, { payload: { ...payload, text }, sizes: { characters } });
  return RECORDED;
}

async function defer(work: StageWork, queue: LongWork): Promise<Outcome> {
  await work.defer(queue);
  return RECORDED;
}

/**
 * Whether pictures were never tried. One that could not be read before does not defer the document, or else every later turn
 * of the conversation would wait behind long work, for as long as weights are missing or a site is down.
 */
async function hasNewPictures(shown: ShownPictures, document: Live): Promise<boolean> {
  return (await shown.unread(document, { tried: false })).length > 0;
}

/** @param transcript the content with the words of its pictures. Null: the content is the text, and is stored */
async function storeTranscript(
  texts: DocumentTexts,
  { organization, id }: Live,
  transcript: Transcript | null,
): Promise<TextRef | null> {
  return transcript && texts.store(organization, id, transcript.text);
}

/** Of a file that cannot be read, at least the type is known. */
async function extractedBy(
  { textJobs }: StageTools,
  document: Live,
  job: ExtractionJob,
  reading: ReadingOptions,
): Promise<ExtractedText | ReadingRefusal | DeferredReading> {
  try {
    return await textJobs.extract(document, job, reading);
  } catch (error) {
    const reason = reasonOf(error);
    if (job.type === undefined || reason === null) throw error;
    return { refused: { ...reason, type: job.type } };
  }
}

interface Recording {
  readonly payload: ContentExtracted['payload'];
  readonly sizes: Readonly<Record<string, number>>;
  readonly pieces?: Pieces;
}

/** Records the text together with what the texts change that wait for it; further ones may come until it is recorded. */
async function record(
  work: StageWork,
  { texts }: StageTools,
  extracted: Live,
  { payload, sizes, pieces }: Recording,
): Promise<void> {
  const { contentVersion } = extracted;
  let document: Live | null = extracted;
  for (;;) {
    const waited: WaitingChanges = await changesOfWaiting(document, payload.text, texts);
    if (await work.record((state) => decideExtracted(state, contentVersion, payload, sizes, pieces, waited))) return;
    document = await work.document();
    if (document === null || document.waiting.length === waited.compared) return;
  }
}

async function changesOfWaiting(document: Live, read: TextRef | null, texts: DocumentTexts): Promise<WaitingChanges> {
  if (document.waiting.length === 0) return { compared: 0, events: [] };
  // Texts are compared with what a caller sees: what was sent, or what was read from the file.
  const text = 'parts' in document.content ? await texts.content(document) : read && (await texts.read(read));
  return compareWaiting(document, text ?? '', texts);
}

async function storeText(
  texts: DocumentTexts,
  document: Live,
  { source, transcript }: { readonly source: Source; readonly transcript: Transcript | null },
  extracted: ExtractedDocument,
): Promise<ContentExtracted['payload']> {
  const { organization, id } = document;
  const { text } = extracted;
  const isInput = text === source.body;
  const stored = isInput
    ? await storeTranscript(texts, document, transcript)
    : await texts.store(organization, id, text);
  return extractedPayload(document, { ...extracted, text: stored, type: 'text' }, texts);
}
