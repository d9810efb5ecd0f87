import { readJson } from '../json.ts';
import { COMMON_LIMITS, type Extractor } from './extractor.ts';

export const json: Extractor = {
  kind: 'json',
  reads: 'text',
  limits: COMMON_LIMITS,
  extensions: ['json', 'jsonl', 'ndjson'],
  mediaTypes: ['application/json', 'text/json', 'application/x-ndjson', 'application/jsonl'],
  fileTypes: [],
  toText: async (text) => (await readJson(text)) ?? { text, title: null },
};
