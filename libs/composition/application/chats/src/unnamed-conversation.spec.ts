import type { StoredConversation } from '#features/documents/use-cases';
import type { Turn } from '#features/proxy/formats';
import { unnamedConversation } from './unnamed-conversation.ts';

const user = (text: string): Turn => ({ role: 'user', text });
const assistant = (text: string): Turn => ({ role: 'assistant', text });

const stored = new Map<string, StoredConversation>();
beforeEach(() => stored.clear());

const find = async (id: string) => stored.get(id) ?? null;
const named = (sent: readonly Turn[], details = {}) =>
  unnamedConversation({ secret: 'sm_key', tag: 'a', sent, ...details }, find);

/** Stores turns under the id that a call has got. */
async function store(sent: readonly Turn[], answer: Turn): Promise<string> {
  const { conversationId } = await named(sent);
  const messages = [...sent, answer].map(({ role, text }) => ({ role, parts: [{ text }] }));
  stored.set(conversationId, { id: conversationId, messages });
  return conversationId;
}

test('calls that send the whole history go on in the conversation that began so', async () => {
  const id = await store([user('hello')], assistant('hi'));
  expect(await named([user('hello'), assistant('hi'), user('more')])).toMatchObject({ conversationId: id });
  expect(await store([user('hello'), assistant(' hi '), user('more')], assistant('yes'))).toBe(id);
});

test('a conversation that begins with the same words is another one, from its first call on', async () => {
  const first = await store([user('hello')], assistant('hi'));
  const second = await named([user('hello')]);
  expect(second.stored).toBeNull();
  expect(second.conversationId).not.toBe(first);
  const history = [user('hello'), assistant('good day'), user('more')];
  const id = await store(history, assistant('yes'));
  expect(id).not.toBe(first);
  expect(await named([...history, assistant('yes'), user('and?')])).toMatchObject({ conversationId: id });
});

test('neither another key nor another tag has the same one, and without turns it is new', async () => {
  const id = await store([user('hello')], assistant('hi'));
  const history = [user('hello'), assistant('hi'), user('more')];
  for (const details of [{ secret: 'sm_other' }, { tag: 'b' }]) {
    expect((await named(history, details)).conversationId).not.toBe(id);
  }
  const ids = [await named([]), await named([])].map(({ conversationId }) => conversationId);
  expect(new Set(ids).size).toBe(2);
});
