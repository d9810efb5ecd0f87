import { imageOf, type Message, SENT_PICTURES } from '#features/documents';
import { err, type Result } from '#platform/kernel';
import { OF_OTHER_ORGANIZATION, OWNER, openUseCases, principalOf, type UseCases } from '../testing.ts';

let useCases: UseCases;
beforeEach(async () => {
  useCases = await openUseCases();
});
afterEach(() => useCases.close());

const said = (role: Message['role'], text: string): Message => ({ role, parts: [{ text }] });
const [a, b, c, d] = [said('user', 'a'), said('assistant', 'b'), said('user', 'c'), said('assistant', 'd')] as const;

const talk = (messages: readonly Message[], tag = 'a', conversationId = 'talk') => ({
  ...{ conversationId, messages, tags: [tag], metadata: null },
});

function accepted<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(`refused: ${result.error}`);
  return result.value;
}

const save = async (messages: readonly Message[], attempt = {}) =>
  accepted(await useCases.save(OWNER, talk(messages), attempt));

async function content(idOrCustomId = 'talk'): Promise<string | null> {
  return useCases.contents.of(accepted(await useCases.documents.find({ ...OWNER, access: 'read' }, idOrCustomId)));
}

test('the messages of a new conversation become its transcript', async () => {
  const { id, status } = await save([a, b]);
  expect(status).toBe('queued');
  expect(await content(id)).toBe('user: a\nassistant: b');
  expect(await useCases.eventTypes(id)).toEqual(['DocumentAdded', 'MessagesReceived']);
});

test('a full list adds the new messages, and changes nothing without any', async () => {
  const { id } = await save([a, b]);
  await save([a, b, c]);
  const head = await useCases.head();
  await save([a, b, c]);
  await save([a]);
  expect(await useCases.head()).toBe(head);
  expect(await content()).toBe('user: a\nassistant: b\nuser: c');
  expect((await useCases.eventTypes(id)).slice(2)).toEqual(['ContentAppended', 'MessagesReceived']);
});

test('a full list replaces from the first difference on', async () => {
  await save([a, b, c, d]);
  await save([a, b, c, b]);
  const text = 'user: a\nassistant: b\nuser: c\nassistant: b';
  expect(await content()).toBe(text);
  // What was replaced is not compared any more.
  await save([a, b, c, b, a]);
  expect(await content()).toBe(`${text}\nuser: a`);
});

test('new messages are appended, and a retry of them changes nothing', async () => {
  await save([a, b]);
  await save([c]);
  await save([c], { isRetry: true });
  const text = 'user: a\nassistant: b\nuser: c';
  expect(await content()).toBe(text);
  await save([c]);
  expect(await content()).toBe(`${text}\nuser: c`);
});

test('text that was added under the customId stays, and the next call compares with the messages of the last', async () => {
  await save([a, b, c]);
  await useCases.added(['a'], { customId: 'talk', content: 'A note about something else entirely.' });
  await save([a, b, c, d]);
  const note = 'user: a\nassistant: b\nuser: c\nA note about something else entirely.';
  expect(await content()).toBe(`${note}\nassistant: d`);
  await save([a, b, c, b]);
  expect(await content()).toBe(`${note}\nassistant: b`);
});

test('a document that is no conversation gets the transcript appended', async () => {
  const id = await useCases.added(['a'], { customId: 'talk', content: 'A page.\n' });
  expect((await save([a, b, c, d])).id).toBe(id);
  expect(await content()).toBe('A page.\nuser: a\nassistant: b\nuser: c\nassistant: d');
  await save([a, b, c, b]);
  expect(await content()).toBe('A page.\nuser: a\nassistant: b\nuser: c\nassistant: b');
});

test('long conversations are compared whole, and end in blobs', async () => {
  const messages = Array.from({ length: 300 }, (_, i) =>
    said(i % 2 ? 'assistant' : 'user', `${i} ${'word '.repeat(60)}`),
  );
  await save(messages);
  await save([...messages.slice(0, 250), said('user', 'another')]);
  const lines = (await content())?.split('\n') ?? [];
  expect(lines).toHaveLength(251);
  expect(lines.at(-1)).toBe('user: another');
});

test('twenty calls at the same time lose no message', async () => {
  await Promise.all(Array.from({ length: 20 }, (_, i) => save([said('user', `message ${i}`)])));
  const lines = (await content())?.split('\n') ?? [];
  expect(lines.toSorted()).toEqual(Array.from({ length: 20 }, (_, i) => `user: message ${i}`).toSorted());
});

describe('messages that follow what a caller knew', () => {
  const follow = async (messages: readonly Message[], stored: number, kept = stored) =>
    accepted(await useCases.save(OWNER, { ...talk(messages), known: { stored, kept } }));

  test('are added to it, or replace its end', async () => {
    await follow([a, b], 0);
    await follow([c, d], 2);
    await follow([b], 4, 3);
    expect(await content()).toBe('user: a\nassistant: b\nuser: c\nassistant: b');
  });

  test('are each stored once, although several calls know the same and say the same', async () => {
    await follow([a, b], 0);
    await Promise.all([follow([c, d], 2), follow([c, d], 2), follow([c, d], 2)]);
    expect(await content()).toBe('user: a\nassistant: b\nuser: c\nassistant: d');
    await Promise.all([follow([a], 4), follow([c], 4)]);
    expect((await content())?.split('\n')).toHaveLength(6);
  });

  test('bring nothing back after a deletion', async () => {
    const { id } = await follow([a, b], 0);
    await useCases.append(id, { type: 'DocumentDeleted', payload: null });
    await follow([c], 2);
    expect(await content()).toBe('user: c');
  });
});

test('the metadata of each call is applied', async () => {
  const { id } = await save([a]);
  await useCases.save(OWNER, { ...talk([a]), metadata: { mood: 'calm' } });
  expect(await useCases.documents.load({ ...OWNER, access: 'read' }, id)).toMatchObject({
    tags: ['a'],
    metadata: { mood: 'calm' },
    contentVersion: 1,
  });
});

test('a call with other tags begins a conversation of its own', async () => {
  const { id } = await save([a]);
  const other = accepted(await useCases.save(OWNER, talk([b], 'b')));
  expect(other.id).not.toBe(id);
  for (const [each, tags] of [
    [id, ['a']],
    [other.id, ['b']],
  ] as const) {
    expect(await useCases.documents.load({ ...OWNER, access: 'read' }, each)).toMatchObject({
      tags,
      contentVersion: 1,
    });
  }
});

test('an Idempotency-Key: the same call again is answered and changes nothing, another one is refused', async () => {
  const first = await save([a, b], { idempotencyKey: 'key' });
  const head = await useCases.head();
  expect(await save([a, b], { idempotencyKey: 'key' })).toEqual(first);
  expect(await useCases.head()).toBe(head);
  expect(await useCases.save(OWNER, talk([a, c]), { idempotencyKey: 'key' })).toEqual(err('idempotency_key_reused'));
  await useCases.append(first.id, { type: 'DocumentDeleted', payload: null });
  expect(await save([a, b], { idempotencyKey: 'key' })).toEqual(first);
});

describe('given a caller with limited tags', () => {
  test.each([
    ['that may not read a named tag', principalOf(['b'])],
    ['that may only read a named tag', principalOf(['a', 'b'], { writableTags: ['b'] })],
  ])('%s, then it is forbidden and nothing is appended', async (_, principal) => {
    await useCases.added(['a'], { customId: 'talk' });
    const head = await useCases.head();
    for (const idempotencyKey of [null, 'key']) {
      expect(await useCases.save(principal, talk([a], 'a'), { idempotencyKey })).toEqual(err('forbidden'));
    }
    expect(await useCases.head()).toBe(head);
  });

  test('of another organization, then the conversation is its own', async () => {
    const { id } = await save([a]);
    const other = accepted(await useCases.save(OF_OTHER_ORGANIZATION, talk([b])));
    expect(other.id).not.toBe(id);
    expect(await content()).toBe('user: a');
  });
});

test('after a deletion the conversation is a new document', async () => {
  const { id } = await save([a, b]);
  await useCases.append(id, { type: 'DocumentDeleted', payload: null });
  const again = await save([a, b, c]);
  expect(again.id).not.toBe(id);
  expect(await content()).toBe('user: a\nassistant: b\nuser: c');
});

test('given a full backlog, then nothing is recorded', async () => {
  useCases.limitBacklog(0);
  const head = await useCases.head();
  expect(await useCases.save(OWNER, talk([a]))).toEqual(err('backlog_full'));
  expect(await useCases.head()).toBe(head);
});

describe('pictures inside their addresses', () => {
  const url = `data:image/png;base64,${Buffer.from('the bytes of a picture').toString('base64')}`;
  const shows = (...urls: readonly string[]): Message => ({
    role: 'user',
    parts: urls.map((one) => ({ image: imageOf(one) })),
  });
  const saved = async (messages: readonly Message[], ...urls: readonly string[]) => {
    const pictures = new Map(urls.map((one) => [imageOf(one), one]));
    return accepted(await useCases.save(OWNER, talk(messages), {}, pictures));
  };
  const picturesOf = async (id: string) => {
    const state = await useCases.documents.load({ ...OWNER, access: 'read' }, id);
    return state.status === 'live' ? state.conversation?.pictures : undefined;
  };

  test('are kept with the document, once, and erased with it', async () => {
    const { id } = await saved([shows(url)], url);
    const [picture, ...others] = (await picturesOf(id))?.sent ?? [];
    expect(others).toEqual([]);
    expect(picture).toMatchObject({ image: imageOf(url), bytes: 22 });
    const bytes = () => useCases.blobs.get(picture?.blob ?? '');
    expect(Buffer.from((await bytes()) ?? '').toString()).toBe('the bytes of a picture');
    await saved([shows(url), shows(url), b], url);
    expect((await picturesOf(id))?.sent).toEqual([picture]);
    await useCases.append(id, { type: 'DocumentDeleted', payload: null });
    await useCases.erasure.eraseIfDeleted(useCases.documents, OWNER.organization, id);
    expect(await bytes()).toBeNull();
  });

  test('are noted without bytes if they are in another form; other conversations know of none', async () => {
    const drawing = 'data:image/svg+xml,<svg/>';
    const { id } = await saved([shows(drawing)], drawing);
    expect(await picturesOf(id)).toEqual({ sent: [], read: [] });
    expect(await content(id)).toBe('user: [image]');
    const { id: other } = accepted(await useCases.save(OWNER, talk([a, b], 'a', 'another')));
    expect(await picturesOf(other)).toBeNull();
  });

  test('are kept up to a number for each call', async () => {
    const urls = Array.from({ length: SENT_PICTURES + 3 }, (_, i) => `${url.slice(0, -4)}${1000 + i}`);
    const { id } = await saved([shows(...urls)], ...urls);
    expect((await picturesOf(id))?.sent).toHaveLength(SENT_PICTURES);
  });
});
