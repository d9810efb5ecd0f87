import { csvToText } from '../csv.ts';
import type { Extractor } from './extractor.ts';

export const csv: Extractor = {
  kind: 'csv',
  extensions: ['csv', 'tsv'],
  mediaTypes: ['text/csv', 'application/csv', 'text/tab-separated-values'],
  fileTypes: [],
  toText: async (text) => ({ text: (await csvToText(text)) ?? text, title: null }),
};
