import pLimit from 'p-limit';
import {
  decidePicturesRead,
  type Live,
  PICTURE_BYTES,
  type PictureWords,
  type SentPicture,
  type ShownPictures,
} from '#features/documents';
import { FetchFailedError } from '#platform/fetch';
import { hasCode, isMnemeError, isTransient } from '#platform/kernel';
import { MISSING_CODES } from '#processing/extraction';
import type { PageRequest } from '../pages/pages.ts';
import type { StageTools, StageWork } from '../stages/stage.ts';

/** Pictures that one run of the stage begins to read; further ones are read when the content has changed. */
const MOST = 32;
/** No picture is begun later than this after the first. Milliseconds. */
const WITHIN_MS = 120_000;
const AT_ONCE = 4;
/** Longest text of one picture that is kept, in UTF-16 code units. */
const MAX_WORDS = 20_000;

const A_PICTURE = { accept: 'image/*', limitOf: () => PICTURE_BYTES };

interface PicturedConversation {
  readonly document: Live;
  readonly shown: ShownPictures;
}

/**
 * Reads the pictures of a conversation that were not read before. One that cannot be fetched or read has no words, and no
 * influence on anything else.
 * @param queue in which the stage runs
 * @returns the document with what was read; null: the version is no longer the present one
 * @throws transient errors, except for what only pictures need
 */
export async function readPictures(
  { document, shown }: PicturedConversation,
  queue: PageRequest['queue'],
  work: StageWork,
  tools: StageTools,
): Promise<Live | null> {
  const unread = await shown.unread(document);
  if (unread.length === 0) return document;
  const present = await work.start();
  if (present === null) return null;
  const { organization, id, contentVersion } = present;
  const end = performance.now() + WITHIN_MS;
  const read = await pLimit(AT_ONCE).map(unread.slice(0, MOST), async (picture) => {
    const isWanted = performance.now() < end && !work.outdated.aborted && (await work.isPresent());
    return isWanted ? readOne(picture, queue, work, tools) : null;
  });
  const words = read.filter((one): one is PictureWords => one !== null);
  if (words.length > 0) {
    const list = await tools.texts.storeList<PictureWords>(organization, id, words);
    if (!(await work.record((state) => decidePicturesRead(state, contentVersion, list)))) return null;
  }
  return work.document();
}

async function readOne(
  picture: string | SentPicture,
  queue: PageRequest['queue'],
  work: StageWork,
  tools: StageTools,
): Promise<PictureWords> {
  const image = typeof picture === 'string' ? picture : picture.image;
  try {
    return { image, ...(await wordsOf(picture, queue, work, tools)) };
  } catch (error) {
    if (work.outdated.aborted) throw error;
    const mayBeReadLater = hasCode(error, ...MISSING_CODES) || (error instanceof FetchFailedError && error.isTemporary);
    if (isTransient(error) && !mayBeReadLater) throw error;
    const code = isMnemeError(error) ? error.code : 'extraction_failed';
    return { image, words: null, code, ...(mayBeReadLater && { again: true }) };
  }
}

async function wordsOf(
  picture: string | SentPicture,
  queue: PageRequest['queue'],
  { outdated, message }: StageWork,
  { pages, pictures }: StageTools,
): Promise<Omit<PictureWords, 'image'>> {
  const run = { signal: outdated, caller: message.caller };
  if (typeof picture !== 'string') {
    const { image, blob } = picture;
    const contentType = /^data:([^;,]*)/i.exec(image)?.[1] || null;
    return asWords(await pictures.wordsOf({ contentType, from: { blob } }, run));
  }
  const request = { address: picture, known: null, isPart: false, queue, wanted: A_PICTURE };
  return pages.fetch(request, outdated, async (page) => {
    // Without validators no server answers that it has not changed.
    if ('unchanged' in page) throw new FetchFailedError('The server did not send the picture.');
    const { contentType, path } = page;
    return asWords(await pictures.wordsOf({ contentType, from: { path } }, run));
  });
}

/** One line: a line break would end the turn, or begin another one. */
function asWords(text: string): Omit<PictureWords, 'image'> {
  const words = text.replace(/\s+/g, ' ').trim().slice(0, MAX_WORDS);
  return { words: words === '' ? null : words };
}
