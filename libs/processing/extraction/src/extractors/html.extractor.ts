import { htmlToText } from '../html.ts';
import { COMMON_LIMITS, type Extractor } from './extractor.ts';

export const html: Extractor = {
  kind: 'html',
  reads: 'text',
  limits: COMMON_LIMITS,
  extensions: ['html', 'htm', 'xhtml'],
  mediaTypes: ['text/html', 'application/xhtml+xml'],
  fileTypes: ['webpage'],
  toText: htmlToText,
};
