import { isMailbox } from '../mail/detect-mail.ts';
import { messagesIn } from '../mail/mailbox.ts';
import { messageText } from '../mail/message.ts';
import { MimeReader } from '../mail/mime-message.ts';
import { COMMON_LIMITS, type FileExtractor } from './extractor.ts';

/** A mailbox in the format mbox: its messages one after the other, each under its subject. */
export const mbox: FileExtractor = {
  kind: 'mbox',
  reads: 'bytes',
  limits: COMMON_LIMITS,
  extensions: ['mbox', 'mbx'],
  mediaTypes: ['application/mbox'],
  fileTypes: [],
  detects: isMailbox,
  async toText(bytes) {
    const reader = new MimeReader();
    const texts: string[] = [];
    for (const message of messagesIn(bytes)) texts.push(messageText(await reader.read(message), 1));
    return { text: texts.join('\n\n'), title: null, encoding: reader.encoding };
  },
};
