import type { JsonObject } from '#platform/kernel';
import { htmlToText } from '../../html.ts';
import { isObject, listAt, textAt } from '../../json-values.ts';
import type { ConversationFormat, Turn } from '../conversation.ts';
import { fileNote } from '../notes.ts';
import { inOrderOfTime, timeAt } from '../time.ts';

const FILE = /<OriginalName\b[^<>]{0,20}\bv="([^"<>]{1,200})"/;

/** A conversation in the personal data of Teams and Skype (`messages.json`). */
export const teamsExport: ConversationFormat = {
  async read(value) {
    if (!isObject(value) || !Array.isArray(value.MessageList)) return null;
    const turns: Turn[] = [];
    for (const message of listAt(value, 'MessageList').filter(isObject)) {
      const words = await wordsOf(message);
      // `8:live:orla` of a person without a name.
      const speaker = textAt(message, 'displayName') ?? textAt(message, 'from')?.split(':').at(-1) ?? null;
      if (words !== '') turns.push({ speaker, words, time: timeAt(message, 'originalarrivaltime') });
    }
    return [{ title: textAt(value, 'displayName'), date: null, turns: inOrderOfTime(turns) }];
  },
};

async function wordsOf(message: JsonObject): Promise<string> {
  const content = textAt(message, 'content') ?? '';
  const type = textAt(message, 'messagetype') ?? '';
  if (type === 'Text') return content.trim();
  if (type === 'RichText' || type === 'RichText/Html') return (await htmlToText(content)).text.trim();
  // Others are files, calls, and what happened.
  const name = FILE.exec(content)?.[1];
  return name === undefined ? '' : fileNote(name);
}
