/** Counts tokens in a thread: reading the table of the tokenizer takes half a second and 80 MB, and long texts take longer. */
import { type MessagePort, parentPort } from 'node:worker_threads';
import { clearMergeCache, countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { serve } from '#platform/thread-calls';
import { piecesOf } from './pieces.ts';

export interface O200kApi {
  ready(): void;
  /** Returns the tokens of each text; of one with more than `most`, a number above it. */
  count(texts: readonly string[], most: number): number[];
}

/** Texts may name the special tokens of models, and have no power here. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

function countOf(text: string, most: number): number {
  let tokens = 0;
  for (const piece of piecesOf(text)) {
    tokens += countTokens(piece, AS_TEXT);
    if (tokens > most) break;
  }
  return tokens;
}

serve<O200kApi>(parentPort as MessagePort, {
  ready: () => {},
  count: (texts, most) => {
    const counts = texts.map((text) => countOf(text, most));
    // It would keep words of the texts.
    clearMergeCache();
    return counts;
  },
});
