import type { Json, JsonObject } from '#platform/kernel';
import { isObject, listAt, textAt } from '../json-values.ts';
import { turnsOfContent, wordsOf } from './content.ts';
import type { Turn } from './conversation.ts';
import { callNote } from './notes.ts';
import { timeAt } from './time.ts';

const SPEAKER_KEYS = ['speaker', 'role', 'name', 'author', 'from', 'sender', 'user'] as const;
const TEXT_KEYS = ['content', 'text', 'message', 'body', 'parts', 'value'] as const;
const TIME_KEYS = ['timestamp', 'date', 'time', 'created_at', 'createdAt', 'create_time', 'ts', 'datetime'] as const;

/** Returns the turns of a message in the common forms: who, what, when. Empty: it has no words. Null: it is no message. */
export function turnsOfMessage(item: Json): readonly Turn[] | null {
  if (!isObject(item)) return null;
  const message: JsonObject = isObject(item.message) ? { ...item, ...item.message } : item;
  const key = SPEAKER_KEYS.find((one) => nameOf(message[one]) !== null);
  if (key === undefined) return null;
  const calls = callsOf(message);
  const hasRole = key === 'role';
  const keys = TEXT_KEYS.filter((one) => one !== 'value' || isRole(message.from));
  if (!hasRole && calls.length === 0 && !keys.some((one) => isContent(message[one]))) return null;
  // The name of a tool stands in its call.
  const name = hasRole && !/^(?:tool|function)$/.test(message.role as string) ? textAt(message, 'name') : null;
  const speaker = {
    speaker: nameOf(message[key]),
    ...(name !== null && { name }),
    time: timeAt(message, ...TIME_KEYS),
  };
  const content = keys.map((one) => message[one]).find((value) => turnsOfContent(speaker, value).length > 0);
  const said = [...(Array.isArray(content) ? content : [content]), ...wordsOf(message.refusal), ...calls];
  return turnsOfContent(
    speaker,
    said.filter((part) => part !== undefined),
  );
}

function nameOf(value: Json | undefined): string | null {
  return textAt({ name: value }, 'name') ?? textAt(value, 'name', 'role', 'username');
}

/** Beside a `value`, `from` is a role: `human`, `gpt`. Other records have such keys, too. */
const isRole = (from: Json | undefined): boolean => typeof from === 'string' && /^[a-z_]+$/.test(from);

/** Whether a value may be the content of a message, also one without words. */
const isContent = (value: Json | undefined): boolean =>
  value === null || typeof value === 'string' || typeof value === 'object';

/** Returns what a message calls, as requests to chat models write it. */
function callsOf(message: JsonObject): readonly string[] {
  const calls = [...listAt(message, 'tool_calls'), ...(isObject(message.function_call) ? [message.function_call] : [])];
  return calls.filter(isObject).map((call) => {
    const said = [call.function, call.custom].find(isObject) ?? call;
    return callNote(textAt(said, 'name'), said.arguments ?? said.input ?? said.args);
  });
}

/** Returns the content of a message that stands before the others in a request, as a turn of the system. */
export const systemTurns = (content: Json | undefined): readonly Turn[] =>
  turnsOfContent({ speaker: 'system', time: null }, content);
