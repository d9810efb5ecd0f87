import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Of one step of a time token, and the highest one, in seconds. */
export const TIME_STEP = 0.02;
const TIMES = 1_501;

/** The tokens of a model, and which of them may be said. */
export interface Tokens {
  readonly start: number;
  readonly end: number;
  readonly transcribe: number;
  /** Likely as the first token where nobody speaks. */
  readonly silence: number;
  /** The token of the time 0; those of the later times follow. */
  readonly firstTime: number;
  readonly lastTime: number;
  /** Codes of the languages by their tokens. */
  readonly languages: ReadonlyMap<number, string>;
  /** Never said: signs of music, of speakers, and the like. */
  readonly suppressed: readonly number[];
  /** Not said first. */
  readonly suppressedFirst: readonly number[];
  textOf(tokens: readonly number[]): string;
}

/** @throws Error if the folder is not that of a multilingual Whisper model */
export async function readTokens(folder: string): Promise<Tokens> {
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const [tokenizerJson, config] = await Promise.all(
    ['tokenizer.json', 'config.json'].map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))),
  );
  const tokenizer = new Tokenizer(tokenizerJson, {});
  const added = (tokenizerJson as { added_tokens: readonly { id: number; content: string }[] }).added_tokens;
  const idOf = (content: string) => {
    const id = added.find((token) => token.content === content)?.id;
    if (id === undefined) throw new Error(`the tokenizer of the model has no token ${content}`);
    return id;
  };
  const { lang_ids, suppress_ids, suppress_ids_begin } = config as Record<string, readonly number[]>;
  const codes = added
    .filter(({ id }) => lang_ids?.includes(id))
    .map(({ id, content }) => [id, content.slice(2, -2)] as const);
  const end = idOf('<|endoftext|>');
  const firstTime = idOf('<|notimestamps|>') + 1;
  return {
    start: idOf('<|startoftranscript|>'),
    end,
    transcribe: idOf('<|transcribe|>'),
    silence: idOf('<|nocaptions|>'),
    firstTime,
    lastTime: firstTime + TIMES - 1,
    languages: new Map(codes),
    suppressed: [...(suppress_ids ?? []), ...added.map(({ id }) => id).filter((id) => id !== end)],
    suppressedFirst: suppress_ids_begin ?? [],
    textOf: (tokens) =>
      tokenizer.decode([...tokens], { skip_special_tokens: true, clean_up_tokenization_spaces: false }),
  };
}
