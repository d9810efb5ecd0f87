import type { DocumentEvent, Live, PictureWords, SentPicture, ShownPictures } from '#features/documents';
import { FetchFailedError, FetchRefusedError } from '#platform/fetch';
import { mnemeError } from '#platform/kernel';
import { ExtractionError, MissingResourceError } from '#processing/extraction';
import type { StageTools, StageWork } from '../stages/stage.ts';
import { readPictures } from './read-pictures.ts';

const SENT: SentPicture = { image: 'data:image/png;sha256,aa', blob: 'org/doc/aa.picture', bytes: 3 };

/** Reads the pictures of a conversation. @param wordsOf of what is at an address or in a blob; it may throw */
async function reading(
  unread: readonly (string | SentPicture)[],
  wordsOf: (place: string) => string,
  isPresent = true,
) {
  const document = { status: 'live', organization: 'org', id: 'doc', contentVersion: 1, conversation: {} } as Live;
  const events: DocumentEvent[] = [];
  const asked: string[] = [];
  const words = (place: string) => {
    asked.push(place);
    return wordsOf(place);
  };
  const work = {
    message: { caller: 'org key:1' },
    outdated: new AbortController().signal,
    start: async () => document,
    isPresent: async () => isPresent,
    document: async () => document,
    record: async (decide: Parameters<StageWork['record']>[0]) => {
      const decided = decide(document);
      if (decided.ok) events.push(...decided.value);
      return decided.ok;
    },
  } as Partial<StageWork> as StageWork;
  const tools = {
    pictures: {
      wordsOf: async ({ from }: { from: { path?: string; blob?: string } }) => words(from.path ?? from.blob ?? ''),
    },
    texts: { storeList: async (_organization: string, _id: string, inline: readonly PictureWords[]) => ({ inline }) },
    pages: {
      fetch: async ({ address }: { address: string }, _signal: AbortSignal, use: (page: object) => unknown) =>
        use({ path: address, contentType: 'image/png' }),
    },
  } as unknown as StageTools;
  const shown = { unread: async () => unread } as Partial<ShownPictures> as ShownPictures;
  const read = await readPictures({ document, shown }, 'long', work, tools);
  const [event] = events;
  const list = event?.type === 'PicturesRead' ? event.payload.pictures : null;
  return { read, asked, words: list && 'inline' in list ? list.inline : null };
}

const failing = (error: Error) => () => {
  throw error;
};
const [PAGE] = ['https://a.example/a.png'];

test('words of fetched and sent pictures are recorded, as one line each', async () => {
  const { words, asked } = await reading([PAGE, SENT], (place) => (place === PAGE ? ' Low tide\n\nat  six ' : ' \n'));
  expect(asked).toEqual([PAGE, SENT.blob]);
  expect(words).toEqual([
    { image: PAGE, words: 'Low tide at six' },
    { image: SENT.image, words: null },
  ]);
});

test.each([
  ['an address that is forbidden', new FetchRefusedError('no'), { code: 'fetch_refused' }],
  ['an address where nothing is', new FetchFailedError('no'), { code: 'fetch_failed' }],
  [
    'a site that does not answer',
    new FetchFailedError('no', { isTemporary: true }),
    { code: 'fetch_failed', again: true },
  ],
  ['a page in place of a picture', new ExtractionError('no', 'unsupported_type'), { code: 'unsupported_type' }],
  ['missing weights', new MissingResourceError('ocr-deu'), { code: 'model_missing', again: true }],
  ['a mistake of the program', new TypeError('no'), { code: 'extraction_failed' }],
])('%s: the picture has no words, and the others have theirs', async (_, error, expected) => {
  const { read, words } = await reading([PAGE, SENT], (place) => (place === PAGE ? failing(error)() : 'FOR SALE'));
  expect(read).not.toBeNull();
  expect(words).toEqual([
    { image: PAGE, words: null, ...expected },
    { image: SENT.image, words: 'FOR SALE' },
  ]);
});

class DiskFullError extends mnemeError('transient', 'no_space') {}

test('a full disk is no failure of a picture', async () => {
  await expect(reading([PAGE], failing(new DiskFullError('full')))).rejects.toThrow('full');
});

test('nothing is read that is not wanted any more, and only so many pictures at a time', async () => {
  expect(await reading([PAGE], () => 'x', false)).toMatchObject({ asked: [], words: null });
  const many = Array.from({ length: 40 }, (_, i) => `https://a.example/${i}.png`);
  expect((await reading(many, () => 'x')).asked).toEqual(many.slice(0, 32));
});
