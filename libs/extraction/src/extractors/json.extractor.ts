import { jsonToText } from '../json.ts';
import type { Extractor } from './extractor.ts';

export const json: Extractor = {
  kind: 'json',
  extensions: ['json', 'jsonl', 'ndjson'],
  mediaTypes: ['application/json', 'text/json', 'application/x-ndjson', 'application/jsonl'],
  fileTypes: [],
  toText: (text) => ({ text: jsonToText(text) ?? text, title: null }),
};
