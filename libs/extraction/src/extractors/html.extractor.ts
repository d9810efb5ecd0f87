import { htmlToText } from '../html.ts';
import type { Extractor } from './extractor.ts';

export const html: Extractor = {
  kind: 'html',
  extensions: ['html', 'htm', 'xhtml'],
  mediaTypes: ['text/html', 'application/xhtml+xml'],
  fileTypes: ['webpage'],
  toText: htmlToText,
};
