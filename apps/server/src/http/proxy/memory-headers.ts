import type { PreparedChat } from '#composition/application/chats';

/** Returns the headers that tell the caller what memory has done with the call. @param cached tokens, as the provider says */
export function memoryHeaders(chat: PreparedChat, cached: number | undefined): Readonly<Record<string, string>> {
  const { conversationId, isModified, tokens, saved, fresh, memories, error } = chat;
  return {
    ...(conversationId !== null && {
      'x-supermemory-conversation-id': Buffer.from(conversationId, 'utf8').toString('latin1'),
    }),
    'x-supermemory-context-modified': String(isModified),
    'x-supermemory-tokens-processed': String(tokens),
    'x-supermemory-tokens-saved': String(saved),
    ...(cached !== undefined && { 'x-supermemory-tokens-cached': String(cached) }),
    'x-supermemory-chunks-created': String(fresh),
    'x-supermemory-chunks-retrieved': String(memories),
    ...(error !== null && { 'x-supermemory-error': error }),
  };
}
