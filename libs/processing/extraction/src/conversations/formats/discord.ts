import type { Json, JsonObject } from '#platform/kernel';
import { isObject, listAt, textAt } from '../../json-values.ts';
import { type ConversationFormat, consistsOf, type Turn } from '../conversation.ts';
import { fileNote } from '../notes.ts';
import { timeAt } from '../time.ts';

/** A channel of Discord, as DiscordChatExporter writes it. */
export const discord: ConversationFormat = {
  read(value) {
    if (!isObject(value) || !isObject(value.channel)) return null;
    const messages = listAt(value, 'messages');
    if (!consistsOf(messages, isMessage)) return null;
    const names = [textAt(value.guild, 'name'), textAt(value.channel, 'name')].filter((name) => name !== null);
    return [{ title: names.join(': ') || null, date: null, turns: messages.filter(isObject).flatMap(turnOf) }];
  },
};

const isMessage = (item: Json): boolean =>
  isObject(item) && isObject(item.author) && typeof item.timestamp === 'string';

function turnOf(message: JsonObject): readonly Turn[] {
  const content = textAt(message, 'content');
  const embeds = listAt(message, 'embeds')
    .filter((embed) => !isPreview(embed, content ?? ''))
    .flatMap(wordsOfEmbed);
  const stickers = listAt(message, 'stickers').flatMap((sticker) => textAt(sticker, 'name') ?? []);
  const files = listAt(message, 'attachments').map((file) => fileNote(textAt(file, 'fileName')));
  const words = [...(content === null ? [] : [plain(content, message)]), ...embeds, ...stickers, ...files].join('\n');
  const speaker = textAt(message.author, 'nickname', 'name');
  return words.trim() === '' ? [] : [{ speaker, words, time: timeAt(message, 'timestamp') }];
}

/** What Discord shows of a page to which the message links. */
const isPreview = (embed: Json, content: string): boolean => content.includes(textAt(embed, 'url') ?? '\n\n\n');

function wordsOfEmbed(embed: Json): readonly string[] {
  const fields = listAt(embed, 'fields').flatMap((field) => {
    const pair = [textAt(field, 'name'), textAt(field, 'value')].filter((text) => text !== null);
    return pair.length === 0 ? [] : [pair.join(': ')];
  });
  return [...['title', 'description'].flatMap((key) => textAt(embed, key) ?? []), ...fields];
}

/** Writes mentions as names and own emoji as their names. */
function plain(content: string, message: JsonObject): string {
  const names = new Map(listAt(message, 'mentions').map((one) => [textAt(one, 'id'), textAt(one, 'nickname', 'name')]));
  return content
    .replace(/<@!?(\d{1,30})>/g, (mention, id: string) => (names.get(id) ? `@${names.get(id)}` : mention))
    .replace(/<a?(:\w{1,60}:)\d{1,30}>/g, '$1');
}
