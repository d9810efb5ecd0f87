import type { Live } from './state.ts';
import { extractedFrom, given, received, recorded, uploaded } from './testing.ts';
import type { DocumentTexts } from './texts.ts';
import { compareWaiting } from './waiting-texts.ts';

/** Texts that are kept in their references. */
const TEXTS = {
  read: async (ref: { inline: string }) => ref.inline,
  store: async (_organization: string, _id: string, text: string) => ({ inline: text }),
} as unknown as DocumentTexts;

const waiting = (...texts: readonly string[]) =>
  given(uploaded(), ...texts.map((text) => received(text, `of ${text}`))) as Live;

test('each is compared with what the ones before it have made', async () => {
  expect(await compareWaiting(waiting('read', 'more', 'read\nmore', 'read\nmore\nlast'), 'read', TEXTS)).toEqual({
    compared: 4,
    events: [
      {
        type: 'ContentAppended',
        contentVersion: 2,
        payload: { text: { inline: '\nmore' }, sent: 'more', request: 'of more', borders: [1] },
      },
      {
        type: 'ContentAppended',
        contentVersion: 3,
        payload: { text: { inline: '\nlast' }, request: 'of read\nmore\nlast' },
      },
    ],
  });
});

test('what many texts change is one event, by which a retry of the last one is recognised', async () => {
  const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`);
  const { compared, events } = await compareWaiting(waiting(...lines), 'read', TEXTS);
  const borders = lines.map((_, i) => lines.slice(0, i).join('\n').length + (i === 0 ? 1 : 2));
  const payload = { text: { inline: `\n${lines.join('\n')}` }, sent: 'line 19', request: 'of line 19', borders };
  expect({ compared, events }).toEqual({
    compared: 20,
    events: [{ type: 'ContentAppended', contentVersion: 2, payload }],
  });
});

test('an edited version takes the place of what was read', async () => {
  const event = { type: 'TextReceived', contentVersion: 1 } as const;
  const overwriting = recorded({ ...event, payload: { text: { inline: 'x' }, sent: 'x', overwrites: true } });
  const payload = { content: { text: { inline: 'x' } }, keepsFile: true };
  const replacing = { type: 'ContentReplaced', contentVersion: 2, payload };
  expect((await compareWaiting(given(uploaded(), overwriting) as Live, 'read', TEXTS)).events).toEqual([replacing]);
});

test('the events lead to the text that was compared', async () => {
  const document = waiting('more', 'still more');
  const { events } = await compareWaiting(document, 'read', TEXTS);
  const state = given(
    uploaded(),
    ...document.waiting.map(({ sent }) => received(sent)),
    extractedFrom('read'),
    ...events.map((one) => recorded(one)),
  );
  const parts = [{ inline: 'read' }, { inline: '\nmore' }, { inline: '\nstill more' }];
  expect(state).toMatchObject({ contentVersion: 3, waiting: [], content: { parts }, borders: [5, 10] });
  expect(state).toMatchObject({ deltas: { request: 'of still more', hashes: ['still more'] } });
});
