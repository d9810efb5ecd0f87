/** A cross-encoder: a model that reads a question and a passage together. It blocks the thread that opens it. */
import { MAX_CHARACTERS, type OnnxFiles, openOnnxModel } from '../onnx-model.ts';

export interface BareCrossEncoder {
  /** Returns the logit of the passage being an answer to the question. */
  score(question: string, passage: string): Promise<number>;
}

/** Longer pairs are cut: the limit of most models. */
const MOST_TOKENS = 512;
/** Of these for the question. */
const MOST_QUESTION_TOKENS = 200;

/**
 * @param files the graph: `input_ids`, `attention_mask` and perhaps `token_type_ids` to one logit, or to those of no and yes
 * @throws Error if a file cannot be read or is no such model
 */
export async function openBareCrossEncoder(files: OnnxFiles, threads: number): Promise<BareCrossEncoder> {
  const { tokenizer, session, Tensor } = await openOnnxModel(files, threads);
  const output = session.outputNames.find((name) => name === 'logits') ?? session.outputNames[0];
  if (output === undefined) throw new Error(`${files.model} has no output`);

  /** The last question, because each is compared with many passages. */
  let last = { question: '', shortened: '' };
  function shortened(question: string): string {
    if (question !== last.question) last = { question, shortened: cutText(question) };
    return last.shortened;
  }

  function cutText(question: string): string {
    const text = question.slice(0, MAX_CHARACTERS);
    const { length } = tokenizer.encode(text, { add_special_tokens: false }).ids;
    return length <= MOST_QUESTION_TOKENS
      ? text
      : text.slice(0, Math.floor((text.length * MOST_QUESTION_TOKENS) / length));
  }

  return {
    async score(question, passage) {
      const encoded = tokenizer.encode(shortened(question), {
        text_pair: passage.slice(0, MAX_CHARACTERS),
        return_token_type_ids: true,
      });
      const inputs: Readonly<Record<string, readonly number[]>> = {
        input_ids: cut(encoded.ids),
        token_type_ids: cut(encoded.token_type_ids),
        attention_mask: cut(encoded.ids).map(() => 1),
      };
      const feeds = Object.fromEntries(
        session.inputNames.map((name) => {
          const values = inputs[name];
          if (values === undefined) throw new Error(`${files.model} asks for ${name}`);
          return [name, new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length])];
        }),
      );
      const { data } = (await session.run(feeds))[output] as { readonly data: Float32Array };
      const [first = Number.NaN, second] = data;
      if (data.length > 2 || Number.isNaN(first)) throw new Error(`${files.model} gives ${data.length} numbers`);
      return second === undefined ? first : second - first;
    },
  };
}

/** Cuts a pair of question and passage at its end, which is that of the passage, and keeps the closing token. */
const cut = (tokens: readonly number[]): readonly number[] =>
  tokens.length <= MOST_TOKENS ? tokens : [...tokens.slice(0, MOST_TOKENS - 1), tokens.at(-1) as number];
