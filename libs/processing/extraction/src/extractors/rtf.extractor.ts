import { rtfToText } from '../rtf.ts';
import { COMMON_LIMITS, type FileExtractor } from './extractor.ts';

/** The Rich Text Format. */
export const rtf: FileExtractor = {
  kind: 'rtf',
  reads: 'bytes',
  limits: COMMON_LIMITS,
  extensions: ['rtf'],
  mediaTypes: ['application/rtf', 'text/rtf'],
  fileTypes: [],
  detects: (bytes) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 5)).toString('latin1') === '{\\rtf',
  toText: rtfToText,
};
