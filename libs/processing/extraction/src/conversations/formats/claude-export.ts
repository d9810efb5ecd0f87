import type { Json, JsonObject } from '#platform/kernel';
import { isObject, listAt, textAt } from '../../json-values.ts';
import { turnsOfContent } from '../content.ts';
import type { ConversationFormat, Turn } from '../conversation.ts';
import { fileNote } from '../notes.ts';
import { timeAt } from '../time.ts';

/** A conversation of the export of Claude. */
export const claudeExport: ConversationFormat = {
  archived: /(?<=^|\/)conversations\.json$/i,
  read(value) {
    if (!isObject(value) || !Array.isArray(value.chat_messages)) return null;
    const turns = value.chat_messages.flatMap((message: Json) => (isObject(message) ? turnsIn(message) : []));
    return [{ title: textAt(value, 'name'), date: timeAt(value, 'created_at'), turns }];
  },
};

function turnsIn(message: JsonObject): readonly Turn[] {
  const speaker = { speaker: textAt(message, 'sender'), time: timeAt(message, 'created_at') };
  // `text` repeats the content, with a note in place of what is no text.
  const hasContent = turnsOfContent(speaker, message.content).length > 0;
  const content = listAt(hasContent ? message : { content: [message.text ?? ''] }, 'content');
  const files = [...listAt(message, 'attachments'), ...listAt(message, 'files')].filter(isObject);
  const notes = files.map((file) => fileNote(textAt(file, 'file_name'), textAt(file, 'extracted_content')));
  return turnsOfContent(speaker, [...content, ...notes]);
}
