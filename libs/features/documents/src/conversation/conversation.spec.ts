import { jest } from '@jest/globals';
import type { Message } from '../events.ts';
import { compareMessages, continueMessages } from './compare.ts';
import { bytesInside } from './data-url.ts';
import { imageOf, sameMessage, turnOf } from './message.ts';
import { changeTranscript, transcriptOf, withWords } from './transcript.ts';

const user = (text: string, rest: Partial<Message> = {}): Message => ({ role: 'user', parts: [{ text }], ...rest });
const assistant = (text: string): Message => ({ role: 'assistant', parts: [{ text }] });
const [a, b, c, d, e] = [user('a'), assistant('b'), user('c'), assistant('d'), user('e')] as const;

const FIRST = { lastAdded: 0, isRetry: false };

describe('messages', () => {
  test('are the same if role, content, name and tool calls are', () => {
    const call = { id: '1', function: { name: 'f', arguments: '{}' } };
    const message = user('x', { name: 'Dana', toolCalls: [call] });
    expect(sameMessage(message, structuredClone(message))).toBe(true);
    expect(
      sameMessage(message, { ...message, toolCalls: [{ function: { arguments: '{}', name: 'f' }, id: '1' }] }),
    ).toBe(true);
    for (const other of [
      { ...message, role: 'assistant' as const },
      { ...message, parts: [{ text: 'y' }] },
      { ...message, parts: [{ text: 'x' }, { image: 'https://a/b.png' }] },
      { ...message, name: 'Mara' },
      { ...message, toolCalls: [{ ...call, id: '2' }] },
      user('x'),
    ]) {
      expect(sameMessage(message, other)).toBe(false);
    }
  });

  test.each<[Message, string]>([
    [user('hello\nthere'), 'user: hello\nthere'],
    [user('hi', { name: 'Dana' }), 'user (Dana): hi'],
    [user('hi', { name: 'a]b' }), 'user: hi'],
    [
      { role: 'user', parts: [{ text: 'see' }, { image: 'https://a.example/cat.png?sig=1' }] },
      'user: see\n[image https://a.example/cat.png]',
    ],
    [{ role: 'user', parts: [{ image: imageOf('data:image/png;base64,AAAA') }] }, 'user: [image]'],
    [
      {
        role: 'assistant',
        parts: [],
        toolCalls: [{ id: '1', function: { name: 'weather', arguments: '{"in":"Oslo"}' } }],
      },
      'assistant: [calls weather {"in":"Oslo"}]',
    ],
    [{ role: 'tool', parts: [{ text: 'rain' }] }, 'tool: rain'],
  ])('%j is the turn %j', (message, turn) => {
    expect(turnOf(message)).toBe(turn);
  });

  test('an image inside its URL is kept as type and hash', () => {
    const url = `data:image/png;base64,${'A'.repeat(10_000)}`;
    expect(imageOf(url)).toMatch(/^data:image\/png;sha256,[0-9a-f]{64}$/);
    expect(imageOf(`${url}B`)).not.toBe(imageOf(url));
  });
});

describe('the messages of a call', () => {
  test.each([
    ['of a new conversation are new', [], [a, b], { kept: 0, added: [a, b] }],
    ['that continue the whole conversation add the new ones', [a, b], [a, b, c], { kept: 2, added: [c] }],
    ['that are the whole conversation change nothing', [a, b], [a, b], { kept: 2, added: [] }],
    ['that are its beginning change nothing', [a, b, c], [a, b], { kept: 3, added: [] }],
    ['that differ in the last of four replace it', [a, b, c, d], [a, b, c, e], { kept: 3, added: [e] }],
    ['that differ in the last of three are new', [a, b, c], [a, b, d], { kept: 3, added: [a, b, d] }],
    ['that begin with another message are new', [a, b], [c, d], { kept: 2, added: [c, d] }],
    ['that begin with the last two add what follows', [a, b, c], [b, c, d, e], { kept: 3, added: [d, e] }],
    ['that are the last two change nothing', [a, b, c], [b, c], { kept: 3, added: [] }],
    ['that begin with the last one are new', [a, b, c], [c, d], { kept: 3, added: [c, d] }],
  ])('%s', async (_, stored, sent, change) => {
    expect(await compareMessages(stored, sent, FIRST)).toMatchObject(change);
  });

  test.each([
    ['follow what stays', [a, b], [c], { stored: 2, kept: 2 }, { kept: 2, added: [c] }],
    ['replace what does not stay', [a, b, c, d], [e], { stored: 4, kept: 3 }, { kept: 3, added: [e] }],
    ['leave what others have added since', [a, b, c], [d, e], { stored: 2, kept: 2 }, { kept: 3, added: [d, e] }],
    [
      'are added once if another call has said the same',
      [a, b, c],
      [c, d],
      { stored: 2, kept: 2 },
      { kept: 3, added: [d] },
    ],
    [
      'change nothing if another call has said all of it',
      [a, b, c],
      [c],
      { stored: 2, kept: 2 },
      { kept: 3, added: [] },
    ],
    ['bring nothing back that was removed since', [a], [c], { stored: 3, kept: 3 }, { kept: 1, added: [c] }],
    ['begin a conversation', [], [a, b], { stored: 0, kept: 0 }, { kept: 0, added: [a, b] }],
  ])('of a caller who knew the conversation %s', async (_, stored, sent, known, change) => {
    expect(await continueMessages(stored, sent, known)).toEqual({ ...change, isDelta: false });
  });

  test('are compared while other work goes on, however many there are', async () => {
    const many = Array.from({ length: 20_000 }, () => ({ ...a, parts: [{ text: 'a' }] }));
    const compare = () => compareMessages(many, [...many, d], FIRST);
    expect(await goesOnDuring(compare)).toBe(true);
    expect(await compare()).toEqual({ kept: 20_000, added: [d], isDelta: false });
  });

  test('that are a retry of the last call change nothing, if nothing was written since', async () => {
    expect(await compareMessages([a, b, c], [c], { lastAdded: 1, isRetry: true })).toMatchObject({
      kept: 3,
      added: [],
    });
    for (const call of [
      { lastAdded: 1, isRetry: false },
      { lastAdded: 0, isRetry: true },
      { lastAdded: 2, isRetry: true },
    ]) {
      expect(await compareMessages([a, b, c], [c], call)).toEqual({ kept: 3, added: [c], isDelta: true });
    }
  });
});

/** Whether other work goes on before the work is done, if every step of it seems to take long. */
async function goesOnDuring(work: () => Promise<unknown>): Promise<boolean> {
  await new Promise((resolve) => setImmediate(resolve));
  let now = performance.now();
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => {
    now += 10;
    return now;
  });
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isDone = true;
  clock.mockRestore();
  return turns > 10;
}

describe('the transcript', () => {
  const all = [a, b, c];
  const text = 'user: a\nassistant: b\nuser: c';

  test.each([
    ['grows by new messages', text, { kept: 3, added: [d] }, { append: '\nassistant: d', border: null }],
    [
      'grows behind text that others added',
      `${text}\nnote\n`,
      { kept: 3, added: [d] },
      { append: 'assistant: d', border: null },
    ],
    [
      'has a border where new messages alone were sent',
      text,
      { kept: 3, added: [d], isDelta: true },
      { append: '\nassistant: d', border: 1 },
    ],
    ['stays', text, { kept: 3, added: [] }, null],
    ['changes from the first difference on', text, { kept: 1, added: [d] }, { replace: 'user: a\nassistant: d' }],
    [
      'keeps text between and behind the replaced messages',
      'intro\nuser: a\nassistant: b\nnote\nuser: c\nend',
      { kept: 1, added: [d] },
      { replace: 'intro\nuser: a\nassistant: d\nnote\nend' },
    ],
    [
      'keeps a turn that others have changed',
      'user: a\nassistant: b, corrected\nuser: c',
      { kept: 1, added: [d] },
      { replace: 'user: a\nassistant: b, corrected\nassistant: d' },
    ],
    [
      'grows if none of the replaced turns is left',
      'another text',
      { kept: 1, added: [d] },
      { append: '\nassistant: d', border: null },
    ],
    [
      'of an empty text begins with the messages',
      '',
      { kept: 3, added: [d] },
      { append: 'assistant: d', border: null },
    ],
  ])('%s', async (_, before, change, expected) => {
    expect(await changeTranscript(before, all, { isDelta: false, ...change })).toEqual(expected);
  });

  test('has a line for each message, however many there are, and other work goes on', async () => {
    expect(await transcriptOf(all)).toBe(text);
    const make = () => transcriptOf(Array.from({ length: 20_000 }, () => a));
    expect(await goesOnDuring(make)).toBe(true);
    expect((await make()).split('\n')).toEqual(Array(20_000).fill('user: a'));
  });

  test('is searched for equal lines while other work goes on', async () => {
    const stored = Array.from({ length: 2_000 }, (_, i): Message => ({ ...a, parts: [{ text: `a\n${i}` }] }));
    const change = () => changeTranscript('user: a\n'.repeat(2_000), stored, { kept: 1, added: [d], isDelta: false });
    expect(await goesOnDuring(change)).toBe(true);
    expect(await change()).toEqual({ append: 'assistant: d', border: null });
  });

  test('finds equal turns one after the other', async () => {
    const stored = [a, b, a, b];
    expect(await changeTranscript(await transcriptOf(stored), stored, { kept: 3, added: [d], isDelta: false })).toEqual(
      {
        replace: 'user: a\nassistant: b\nuser: a\nassistant: d',
      },
    );
  });
});

describe('the words of pictures', () => {
  const [shore, boat] = ['https://a.example/shore.png?key=1', imageOf('data:image/png;base64,AAAA')];
  const shows: Message = { role: 'user', parts: [{ text: 'See:' }, { image: shore }, { image: boat }] };
  const words = new Map([
    [shore, 'Low tide at six'],
    [boat, 'FOR SALE'],
  ]);

  test('are inside the turns that show them', async () => {
    const text = await transcriptOf([a, shows, b]);
    expect(text).toBe('user: a\nuser: See:\n[image https://a.example/shore.png]\n[image]\nassistant: b');
    const made =
      'user: a\nuser: See:\n[image https://a.example/shore.png: Low tide at six]\n[image: FOR SALE]\nassistant: b';
    const last = 'assistant: b'.length;
    expect(await withWords({ text, borders: [8, text.length - last] }, [a, shows, b], words)).toEqual({
      ...{ text: made, borders: [8, made.length - last] },
    });
    expect((await withWords({ text, borders: [] }, [a, shows, b], new Map())).text).toBe(text);
  });

  test('change nothing of a turn that others have changed, nor of what is beside the turns', async () => {
    const one: Message = { role: 'user', parts: [{ image: boat }] };
    const wordsIn = async (text: string) => (await withWords({ text, borders: [] }, [one], words)).text;
    expect(await wordsIn('A note: [image]\nuser: [image]\n[image]')).toBe(
      'A note: [image]\nuser: [image: FOR SALE]\n[image]',
    );
    expect(await wordsIn('user: a picture of a boat')).toBe('user: a picture of a boat');
  });
});

describe('an address with a picture inside', () => {
  const bytes = Buffer.from(Array.from({ length: 3_000 }, (_, i) => i % 256));
  const base64 = bytes.toString('base64');
  const read = async (url: string) => Buffer.concat(await Array.fromAsync(bytesInside(url) ?? []));

  test.each([
    ['plain', base64],
    ['with line breaks', base64.replace(/.{76}/g, '$&\r\n')],
    ['with escapes', base64.replaceAll('/', '%2F').replaceAll('+', '%2b')],
  ])('holds the bytes: %s', async (_, written) => {
    expect(await read(`data:image/png;name=a.png;base64,${written}`)).toEqual(bytes);
  });

  test.each(['data:image/svg+xml,<svg/>', 'https://a.example/b.png', ''])('is not %j', (url) => {
    expect(bytesInside(url)).toBeNull();
  });
});
