import { isObject, listAt } from '../../json-values.ts';
import { type ConversationFormat, consistsOf, untitled } from '../conversation.ts';
import { systemTurns, turnsOfMessage } from '../messages.ts';

/** Requests to the messages API of Anthropic, with `system` beside the messages. Without it, they are other messages. */
export const anthropic: ConversationFormat = {
  read(value) {
    const messages = listAt(value, 'messages');
    const system = systemTurns(isObject(value) ? value.system : undefined);
    if (system.length === 0 || !consistsOf(messages, (item) => turnsOfMessage(item) !== null)) return null;
    return [untitled([...system, ...messages.flatMap((item) => turnsOfMessage(item) ?? [])])];
  },
};
