/** A cross-encoder: a model that reads a question and a passage together. It blocks the thread that opens it. */
import { readFile } from 'node:fs/promises';

/** Paths. */
export interface CrossEncoderFiles {
  /** ONNX graph: `input_ids`, `attention_mask` and perhaps `token_type_ids` to one logit, or to those of no and yes. */
  readonly model: string;
  /** `tokenizer.json` of the Hugging Face libraries. */
  readonly tokenizer: string;
}

export interface BareCrossEncoder {
  /** Returns the logit of the passage being an answer to the question. */
  score(question: string, passage: string): Promise<number>;
}

/** Longer pairs are cut: the limit of most models. */
const MOST_TOKENS = 512;
/** Of these for the question. */
const MOST_QUESTION_TOKENS = 200;
/** Beyond the limit in any language, so that a long text is not tokenized whole. */
const MOST_CHARACTERS = 20_000;

/** @throws Error if a file cannot be read or is no such model */
export async function openBareCrossEncoder(files: CrossEncoderFiles, threads: number): Promise<BareCrossEncoder> {
  // Imported here, as in bare-model.ts.
  const { InferenceSession, Tensor } = await import('onnxruntime-node');
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const tokenizer = new Tokenizer(JSON.parse(await readFile(files.tokenizer, 'utf8')), {});
  const session = await InferenceSession.create(files.model, {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
    enableCpuMemArena: false,
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });
  const output = session.outputNames.find((name) => name === 'logits') ?? session.outputNames[0];
  if (output === undefined) throw new Error(`${files.model} has no output`);

  function shortened(question: string): string {
    const text = question.slice(0, MOST_CHARACTERS);
    const { length } = tokenizer.encode(text, { add_special_tokens: false }).ids;
    return length <= MOST_QUESTION_TOKENS
      ? text
      : text.slice(0, Math.floor((text.length * MOST_QUESTION_TOKENS) / length));
  }

  return {
    async score(question, passage) {
      const encoded = tokenizer.encode(shortened(question), {
        text_pair: passage.slice(0, MOST_CHARACTERS),
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

/** The passage comes last, so it is the one that is cut; the closing token stays. */
const cut = (tokens: readonly number[]): readonly number[] =>
  tokens.length <= MOST_TOKENS ? tokens : [...tokens.slice(0, MOST_TOKENS - 1), tokens.at(-1) as number];
