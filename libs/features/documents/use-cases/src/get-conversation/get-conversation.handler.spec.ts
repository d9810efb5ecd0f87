import type { Message } from '#features/documents';
import { OF_OTHER_ORGANIZATION, OWNER, openUseCases, principalOf, type UseCases } from '../testing.ts';
import { GetConversationHandler } from './get-conversation.handler.ts';
import { GetConversation } from './get-conversation.query.ts';

const said = (role: Message['role'], text: string): Message => ({ role, parts: [{ text }] });
const MESSAGES = [said('user', 'a'), said('assistant', 'b')];

let useCases: UseCases;
let handler: GetConversationHandler;
beforeAll(async () => {
  useCases = await openUseCases();
  handler = new GetConversationHandler(useCases.drafts, useCases.texts);
});
afterAll(() => useCases.close());

const get = (principal: typeof OWNER, conversationId: string, tag: string) =>
  handler.execute(new GetConversation(principal, conversationId, tag));

const save = async (conversationId: string, tag: string, messages = MESSAGES) => {
  const saved = await useCases.save(OWNER, { conversationId, messages, tags: [tag], metadata: null });
  return saved.ok ? saved.value.id : null;
};

test('a conversation is that of its name and tag alone', async () => {
  const ids = [await save('talk', 'a'), await save('talk', 'b', MESSAGES.slice(0, 1))];
  expect(await get(OWNER, 'talk', 'a')).toEqual({ id: ids[0], messages: MESSAGES });
  expect(await get(principalOf(['b'], { writableTags: [] }), 'talk', 'b')).toEqual({
    ...{ id: ids[1], messages: MESSAGES.slice(0, 1) },
  });
  expect(await get(principalOf(['b']), 'talk', 'a')).toBeNull();
  expect(await get(OF_OTHER_ORGANIZATION, 'talk', 'a')).toBeNull();
  expect(await get(OWNER, 'other', 'a')).toBeNull();
  expect(await get(OWNER, String(ids[0]), 'a')).toBeNull();
});

test('a document that is no conversation has no messages, and a deleted one is none', async () => {
  const id = await useCases.added(['a'], { customId: 'page', content: 'A page.' });
  expect(await get(OWNER, 'page', 'a')).toEqual({ id, messages: [] });
  await useCases.append(id, { type: 'DocumentDeleted', payload: null });
  expect(await get(OWNER, 'page', 'a')).toBeNull();
});
