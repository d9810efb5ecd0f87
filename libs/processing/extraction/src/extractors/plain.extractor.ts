import { COMMON_LIMITS, type Extractor } from './extractor.ts';

/** A text that was read from a file before: taken as it is. Nothing is detected as this. */
export const plain: Extractor = {
  kind: 'plain',
  reads: 'text',
  limits: COMMON_LIMITS,
  extensions: [],
  mediaTypes: [],
  fileTypes: [],
  toText: (text) => ({ text, title: null }),
};
