import { readFile } from 'node:fs/promises';
import { embeddedTexts } from '#features/vector-spaces/model';
import type { ModelFiles } from '#ports/models';
import { splitText } from '#processing/extraction';
import type { Unit } from '#read-side/views';
import { PASS_TOKENS, passesOf } from '../../../libs/ports/models/src/passes.ts';

/** Tokens that open and close a pass. */
const ENDS = 2;

/** Counts the tokens that the model reads for texts, one document each, in a vector space. */
export async function countModelTokens(files: ModelFiles, space: string, texts: readonly string[]) {
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const tokenizer = new Tokenizer(JSON.parse(await readFile(files.tokenizer, 'utf8')), {});
  const tokensIn = (text: string) => tokenizer.encode(text, { add_special_tokens: false }).ids.length;
  const prefix = tokensIn(files.usage.prefixes.passage);
  let modelTokens = 0;
  for (const text of texts) {
    const { passages } = embeddedTexts(space, { organization: ORGANIZATION, unitsDate: null }, unitsIn(text));
    for (const passage of new Set(passages.values())) {
      if (passage.kind === 'text') {
        modelTokens += Math.min(files.usage.maxTokens, tokensIn(passage.text) + prefix + ENDS);
        continue;
      }
      for (const pass of passesOf(passage.texts.map(tokensIn), PASS_TOKENS - prefix)) {
        modelTokens += pass.reduce((sum, { from, to }) => sum + to - from, prefix + ENDS);
      }
    }
  }
  return { modelTokens, textTokens: texts.reduce((sum, text) => sum + tokensIn(text), 0) };
}

const ORGANIZATION = 'org' as Parameters<typeof embeddedTexts>[1]['organization'];

function unitsIn(text: string): Unit[] {
  const { chunks, memories } = splitText(text);
  const common = (start: number, end: number, ordinal: number) => ({ ordinal, text: text.slice(start, end) });
  return [
    ...chunks.map(
      ({ start, end }, i) => ({ id: `c${i}`, kind: 'chunk', ...common(start, end, i), speaker: null }) as const,
    ),
    ...memories.map(
      ({ start, end, speaker }, i) => ({ id: `m${i}`, kind: 'memory', ...common(start, end, i), speaker }) as const,
    ),
  ];
}
