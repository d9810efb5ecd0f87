import { csvToText } from '../tables/csv.ts';
import { COMMON_LIMITS, type Extractor } from './extractor.ts';

export const csv: Extractor = {
  kind: 'csv',
  reads: 'text',
  limits: COMMON_LIMITS,
  extensions: ['csv', 'tsv'],
  mediaTypes: ['text/csv', 'application/csv', 'text/tab-separated-values'],
  fileTypes: [],
  toText: (text) => ({ title: null, ...csvToText(text) }),
};
