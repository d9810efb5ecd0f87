import type { Json, JsonObject } from '#platform/kernel';
import { isObject, listAt, objectAt, textAt } from '../../json-values.ts';
import { type ConversationFormat, consistsOf, type Turn } from '../conversation.ts';
import { fileNote } from '../notes.ts';
import { inOrderOfTime, timeAt } from '../time.ts';

/** Kinds of messages that a person or a program writes. The others say what happened. */
const SAID = new Set([
  ...[
    'bot_message',
    'me_message',
    'thread_broadcast',
    'reply_broadcast',
    'file_share',
    'file_comment',
    'assistant_app_thread',
  ],
]);
const LINK = /<([^<>|]{1,4000})(?:\|([^<>]{0,4000}))?>/g;
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** A day of a channel in the export of Slack, or messages of its API. */
export const slack: ConversationFormat = {
  archived: /(?<=^|\/)\d{4}-\d\d-\d\d\.json$/,
  read(value) {
    const list = Array.isArray(value) ? value : listAt(value, 'messages');
    if (!consistsOf(list, isMessage)) return null;
    const messages = list.filter(isMessage).filter(isObject);
    const names = namesIn([...messages, ...listAt(value, 'users').filter(isObject)]);
    const turns = inOrderOfTime(messages.flatMap((message) => turnOf(message, names)));
    return [{ title: textAt(value, 'name', 'channel_name'), date: null, turns }];
  },
};

const isMessage = (item: Json): boolean =>
  /^\d{9,10}\.\d{6}$/.test(textAt(item, 'ts') ?? '') && textAt(item, 'user', 'bot_id', 'username', 'subtype') !== null;

/** The names of the users whose profiles the file holds. */
function namesIn(objects: readonly JsonObject[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const object of objects) {
    const id = textAt(object, 'user', 'id');
    const profile = objectAt(object, 'profile' in object ? 'profile' : 'user_profile');
    const name = textAt(profile, 'real_name', 'display_name', 'name') ?? textAt(object, 'real_name');
    if (id !== null && name !== null) names.set(id, name);
  }
  return names;
}

function turnOf(message: JsonObject, names: ReadonlyMap<string, string>): readonly Turn[] {
  const words = wordsIn(message, names);
  const subtype = textAt(message, 'subtype');
  if (words === '' || subtype === 'tombstone') return [];
  const id = textAt(message, 'user', 'bot_id');
  const own = textAt(message, 'username') ?? textAt(message.bot_profile, 'name');
  const said = subtype === null || SAID.has(subtype);
  const speaker = said ? ((id === null ? undefined : names.get(id)) ?? own ?? id) : 'system';
  return [{ speaker, words, time: timeAt(message, 'ts') }];
}

function wordsIn(message: JsonObject, names: ReadonlyMap<string, string>): string {
  const text = textAt(message, 'text');
  const parts = text === null ? listAt(message, 'attachments').flatMap(wordsOfAttachment) : [text];
  const files = listAt(message, 'files').map((file) => fileNote(textAt(file, 'title', 'name')));
  return [...parts.map((part) => plain(part, names)), ...files].join('\n').trim();
}

/** Messages of programs often have words in their attachments alone. */
function wordsOfAttachment(attachment: Json): readonly string[] {
  const shown = ['pretext', 'title', 'text'].flatMap((key) => textAt(attachment, key) ?? []);
  return shown.length > 0 ? shown : [textAt(attachment, 'fallback') ?? ''];
}

/** Writes mentions as names, links as their words, and entities as characters. */
function plain(text: string, names: ReadonlyMap<string, string>): string {
  const linked = text.replace(LINK, (_, target: string, shown?: string) => {
    const [, mark = '', rest = ''] = /^([@#!]?)(.*)$/s.exec(target) ?? [];
    if (mark === '@') return `@${names.get(rest) ?? shown ?? rest}`;
    if (mark === '#') return `#${shown || rest}`;
    if (mark === '!') return shown || `@${rest.split('^', 1)[0]}`;
    return shown || rest.replace(/^(?:mailto|tel):/, '');
  });
  return linked.replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity);
}
