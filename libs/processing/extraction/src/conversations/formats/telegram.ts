import type { Json, JsonObject } from '#platform/kernel';
import { isObject, listAt, objectAt, textAt } from '../../json-values.ts';
import { type Conversation, type ConversationFormat, consistsOf, type Turn } from '../conversation.ts';
import { fileNote, imageNote } from '../notes.ts';
import { timeAt, withZone } from '../time.ts';

/** A chat that Telegram exports, or all chats of an account. */
export const telegram: ConversationFormat = {
  archived: /(?<=^|\/)result\.json$/i,
  read(value) {
    const chats = ['chats', 'left_chats'].flatMap((key) => listAt(objectAt(value, key), 'list'));
    const found = (chats.length === 0 ? [value] : chats).flatMap(chatIn);
    return found.length === 0 ? null : found;
  },
};

function chatIn(chat: Json): readonly Conversation[] {
  const messages = listAt(chat, 'messages');
  if (!consistsOf(messages, isMessage)) return [];
  return [{ title: textAt(chat, 'name'), date: null, turns: messages.filter(isObject).flatMap(turnOf) }];
}

const isMessage = (item: Json): boolean =>
  isObject(item) &&
  'id' in item &&
  typeof item.date === 'string' &&
  /^(?:message|service)$/.test(textAt(item, 'type') ?? '');

/** What happens in a chat, such as a new member, has no words. */
function turnOf(message: JsonObject): readonly Turn[] {
  if (message.type === 'service') return [];
  const from = textAt(message, 'forwarded_from');
  const said = [
    plain(message.text).trim(),
    textAt(message, 'sticker_emoji') ?? '',
    ...wordsOfPoll(message),
    ...notesOf(message),
  ];
  const words = said.filter((part) => part !== '').join('\n');
  const time = withZone(timeAt(message, 'date'), textAt(message, 'date_unixtime'));
  const speaker = textAt(message, 'from', 'from_id');
  return words === '' ? [] : [{ speaker, words: from === null ? words : `[forwarded from ${from}]\n${words}`, time }];
}

/** A text is a list of pieces where parts of it are marked. */
const plain = (text: Json | undefined): string =>
  (Array.isArray(text) ? text : [text])
    .map((piece) => (typeof piece === 'string' ? piece : (textAt(piece, 'text') ?? '')))
    .join('');

function wordsOfPoll({ poll }: JsonObject): readonly string[] {
  const answers = listAt(poll, 'answers').flatMap((answer) => textAt(answer, 'text') ?? []);
  return [plain(objectAt({ poll }, 'poll').question), ...answers.map((answer) => `- ${answer}`)];
}

function notesOf(message: JsonObject): readonly string[] {
  const notes = 'photo' in message ? [imageNote('')] : [];
  const name = textAt(message, 'file_name') ?? textAt(message, 'media_type')?.replaceAll('_', ' ') ?? null;
  if ('file' in message && !('sticker_emoji' in message)) notes.push(fileNote(name));
  const contact = objectAt(message, 'contact_information');
  const person = ['first_name', 'last_name', 'phone_number'].flatMap((key) => textAt(contact, key) ?? []);
  return person.length === 0 ? notes : [...notes, `[contact ${person.join(' ')}]`];
}
