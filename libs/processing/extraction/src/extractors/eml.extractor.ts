import { isMessage } from '../mail/detect-mail.ts';
import { readableMessage } from '../mail/message.ts';
import { MimeReader } from '../mail/mime-message.ts';
import { COMMON_LIMITS, type FileExtractor } from './extractor.ts';

/** An e-mail with the ones that it forwards. Attachments are named and not read. */
export const eml: FileExtractor = {
  kind: 'eml',
  reads: 'bytes',
  limits: COMMON_LIMITS,
  extensions: ['eml'],
  mediaTypes: ['message/rfc822'],
  fileTypes: [],
  detects: isMessage,
  async toText(bytes) {
    const reader = new MimeReader();
    const message = await reader.read(bytes);
    return { ...readableMessage(message), encoding: reader.encoding };
  },
};
