import {
  ConversationPictures,
  type DocumentTexts,
  type Live,
  type Message,
  type PictureWords,
} from '#features/documents';
import { extract } from './extract.stage.ts';
import type { StageTools, StageWork } from './stage.ts';

const [SEEN, NEW] = ['https://a.example/seen.png', 'https://a.example/new.png'];

/** Runs the stage for a conversation with pictures until it would read. @param read of the first picture */
async function run(images: readonly string[], read: readonly PictureWords[]) {
  const messages = images.map((image) => ({ role: 'user', parts: [{ image }] })) as unknown as readonly Message[];
  const document = {
    ...{ status: 'live', organization: 'org', id: 'doc', contentVersion: 2, content: { parts: [] } },
    conversation: { pictures: { sent: [], read: [{ inline: read }] } },
  } as unknown as Live;
  const texts = {
    messages: async () => messages,
    readList: async ({ inline }: { readonly inline: readonly PictureWords[] }) => inline,
  } as unknown as DocumentTexts;
  const done: string[] = [];
  const work = {
    message: { caller: 'org key:1' },
    document: async () => document,
    defer: async (queue: string) => void done.push(`deferred to ${queue}`),
    start: async () => {
      done.push('started');
      return null;
    },
  } as unknown as StageWork;
  const known = new ConversationPictures({} as never, texts);
  await extract.run(work, { texts, pictures: { known } } as unknown as StageTools);
  return done;
}

test.each<[string, readonly string[], PictureWords, string]>([
  ['was not tried', [SEEN, NEW], { image: SEEN, words: 'Low tide' }, 'deferred to recognize'],
  ['could not be read before', [SEEN], { image: SEEN, words: null, code: 'model_missing', again: true }, 'started'],
  [
    'was not tried, and one could not be read',
    [SEEN, NEW],
    { image: SEEN, words: null, code: 'fetch_failed', again: true },
    'deferred to recognize',
  ],
])('a conversation of which a picture %s', async (_, images, read, expected) => {
  expect(await run(images, [read])).toEqual([expected]);
});
