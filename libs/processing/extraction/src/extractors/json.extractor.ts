import { readJson } from '../json.ts';
import { readNotebook } from '../notebook/notebook.ts';
import { COMMON_LIMITS, type Extractor } from './extractor.ts';

/** A notebook is found by its content. */
export const json: Extractor = {
  kind: 'json',
  reads: 'text',
  limits: COMMON_LIMITS,
  extensions: ['json', 'jsonl', 'ndjson', 'ipynb'],
  mediaTypes: [
    'application/json',
    'text/json',
    'application/x-ndjson',
    'application/jsonl',
    'application/x-ipynb+json',
  ],
  fileTypes: [],
  toText: async (text) => (await readNotebook(text)) ?? (await readJson(text)) ?? { text, title: null },
};
