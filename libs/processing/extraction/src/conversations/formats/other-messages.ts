import type { Json } from '#platform/kernel';
import { isObject, textAt } from '../../json-values.ts';
import { type ConversationFormat, consistsOf } from '../conversation.ts';
import { turnsOfMessage } from '../messages.ts';

const LIST_KEYS = [
  'messages',
  'conversation',
  'conversations',
  'turns',
  'transcript',
  'chat',
  'history',
  'chat_history',
  'dialogue',
];

/**
 * Messages with speaker and words under common names: requests to the chat API of OpenAI, the messages of other models, and
 * exports of many programs.
 */
export const otherMessages: ConversationFormat = {
  read(value) {
    const messages = listIn(value).map(turnsOfMessage);
    if (!consistsOf(messages, (turns) => turns !== null)) return null;
    const turns = messages.flatMap((found) => found ?? []);
    return turns.length === 0 ? null : [{ title: textAt(value, 'title', 'name'), date: null, turns }];
  },
};

function listIn(value: Json): readonly Json[] {
  if (!isObject(value)) return Array.isArray(value) ? value : [];
  return LIST_KEYS.map((key) => value[key]).find((list): list is readonly Json[] => Array.isArray(list)) ?? [];
}
