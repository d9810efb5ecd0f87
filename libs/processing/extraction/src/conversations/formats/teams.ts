import type { Json, JsonObject } from '#platform/kernel';
import { htmlToText } from '../../html.ts';
import { isObject, listAt, objectAt, textAt } from '../../json-values.ts';
import { type ConversationFormat, consistsOf, type Turn } from '../conversation.ts';
import { fileNote } from '../notes.ts';
import { inOrderOfTime, timeAt } from '../time.ts';

/** Messages of Teams in the form of Microsoft Graph (`chatMessage`), with their replies. */
export const teams: ConversationFormat = {
  async read(value) {
    const list = Array.isArray(value) ? value : [...listAt(value, 'value'), ...listAt(value, 'messages')];
    if (!consistsOf(list, isMessage)) return null;
    const turns: Turn[] = [];
    for (const message of list.filter(isObject)) {
      turns.push(...(await turnOf(message)));
      for (const reply of listAt(message, 'replies').filter(isObject)) turns.push(...(await turnOf(reply)));
    }
    // Graph lists the newest messages first.
    return [{ title: textAt(value, 'topic', 'displayName'), date: null, turns: inOrderOfTime(turns) }];
  },
};

const isMessage = (item: Json): boolean =>
  isObject(item) &&
  typeof item.createdDateTime === 'string' &&
  isObject(item.body) &&
  ('from' in item || 'messageType' in item);

async function turnOf(message: JsonObject): Promise<readonly Turn[]> {
  const body = objectAt(message, 'body');
  const content = textAt(body, 'content') ?? '';
  const isHtml = textAt(body, 'contentType')?.toLowerCase() === 'html';
  const words = isHtml ? (await htmlToText(content)).text : content;
  const files = listAt(message, 'attachments').flatMap((file) => textAt(file, 'name') ?? []);
  const said = [textAt(message, 'subject') ?? '', words.trim(), ...files.map((name) => fileNote(name))];
  const from = objectAt(message, 'from');
  const speaker = [from.user, from.application, from.device].map((one) => textAt(one, 'displayName', 'id'));
  const turn = { speaker: speaker.find((name) => name !== null) ?? null, time: timeAt(message, 'createdDateTime') };
  const text = said.filter((part) => part !== '').join('\n');
  return text === '' ? [] : [{ ...turn, words: text }];
}
