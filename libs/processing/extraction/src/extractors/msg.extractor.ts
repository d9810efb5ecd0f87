import { readableMessage } from '../mail/message.ts';
import { isOutlookMessage } from '../mail/outlook/detect-outlook.ts';
import { outlookMessage } from '../mail/outlook/outlook-message.ts';
import { OFFICE_LIMITS } from '../office/ooxml.ts';
import type { FileExtractor } from './extractor.ts';

/** An e-mail of Outlook with the ones that it forwards. Attachments are named and not read. */
export const msg: FileExtractor = {
  kind: 'msg',
  reads: 'bytes',
  limits: OFFICE_LIMITS,
  extensions: ['msg', 'oft'],
  mediaTypes: ['application/vnd.ms-outlook'],
  fileTypes: [],
  detects: isOutlookMessage,
  toText: async (bytes) => readableMessage(await outlookMessage(bytes)),
};
