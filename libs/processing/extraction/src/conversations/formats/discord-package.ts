import type { Json } from '#platform/kernel';
import { isObject, textAt } from '../../json-values.ts';
import { type ConversationFormat, consistsOf, untitled } from '../conversation.ts';
import { fileNote } from '../notes.ts';
import { timeAt } from '../time.ts';

/** Messages of one channel in the data that Discord gives to a user: those of this user alone, without a name. */
export const discordPackage: ConversationFormat = {
  archived: /(?<=(?:^|\/)messages\/c?\d{1,30}\/)messages\.json$/i,
  read(value) {
    if (!Array.isArray(value) || !consistsOf(value, isMessage)) return null;
    const turns = value.filter(isObject).flatMap((message) => {
      const files = (textAt(message, 'Attachments') ?? '').split(/\s+/).filter((address) => address !== '');
      const names = files.map((address) => fileNote(URL.parse(address)?.pathname.split('/').at(-1) ?? address));
      const words = [textAt(message, 'Contents') ?? '', ...names].join('\n').trim();
      return words === '' ? [] : [{ speaker: 'user', words, time: timeAt(message, 'Timestamp') }];
    });
    return [untitled(turns)];
  },
};

const isMessage = (item: Json): boolean => isObject(item) && typeof item.Contents === 'string' && 'Timestamp' in item;
