import { readFile } from 'node:fs/promises';
import { UnigramTokenizer } from './unigram-tokenizer.ts';

/** How a vocabulary divides words. */
export type TokenizerKind = 'wordpiece' | 'unigram';

/** Divides texts into tokens of a model. */
export interface TextTokenizer {
  /** Opens each pass of the model. */
  readonly begin: number;
  /** Closes it. */
  readonly separator: number;
  /** Returns the tokens of a text, without those that open and close a pass. */
  encode(text: string): readonly number[];
}

/** @param path of a `tokenizer.json`. @throws Error if it cannot be read or is of another kind */
export async function openTextTokenizer(path: string, kind: TokenizerKind): Promise<TextTokenizer> {
  const json = await readFile(path, 'utf8');
  if (kind === 'unigram') return new UnigramTokenizer(json);
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const tokenizer = new Tokenizer(JSON.parse(json), {});
  return {
    begin: tokenizer.token_to_id('[CLS]') as number,
    separator: tokenizer.token_to_id('[SEP]') as number,
    encode: (text) => tokenizer.encode(text, { add_special_tokens: false }).ids,
  };
}
