/**
 * The model itself. It blocks the thread that opens it for the time of each text, so only worker threads and benchmarks open
 * it.
 */
import { centre, EVERYDAY_QUESTIONS, meanVector } from './centred-questions.ts';
import { firstTokens } from './first-tokens.ts';
import { MAX_CHARACTERS, type OnnxFiles, openSession } from './onnx-model.ts';
import { PassQueue } from './pass-queue.ts';
import { PASS_TOKENS, passesOf } from './passes.ts';
import { add, normalize, pool } from './pooling.ts';
import { openTextTokenizer, type TokenizerKind } from './text-tokenizer.ts';

/** The two sides of a search. Most models were trained with a different prefix for each. */
export type TextKind = 'query' | 'passage';

/** How a model was trained to be used. */
export interface ModelUsage {
  /** Prefix of each text, its trailing space included. */
  readonly prefixes: Readonly<Record<TextKind, string>>;
  /** `mean` of all tokens, or the first token, `cls`. */
  readonly pooling: 'mean' | 'cls';
  /** Longer texts are cut. */
  readonly maxTokens: number;
  /** Default: `wordpiece`. */
  readonly tokenizer?: TokenizerKind;
  /**
   * `centred`: a question is the mean of its own tokens, as the texts of a window are, without half of what all questions
   * share. Default: it is pooled like every text that is embedded alone.
   */
  readonly questions?: 'centred';
}

/** Consecutive passages that go through the model together. */
export type Window = readonly string[];

export interface ModelFiles extends OnnxFiles {
  readonly usage: ModelUsage;
  /** Name of the basis (`basisOf`) in which tokens are compared. Null: they are not. */
  readonly tokenBasis: string | null;
}

export interface BareModel {
  readonly dimensions: number;
  /**
   * Returns one unit-length row per text, in the order of `texts`: `texts.length * dimensions` numbers. A text longer than
   * the model's limit is cut.
   */
  embed(kind: TextKind, texts: readonly string[]): Promise<Float32Array>;
  /**
   * Returns one unit-length row per text of every window, in their order: the mean of the text's own tokens as the model
   * sees them among the other texts of the window. A window of more tokens than `PASS_TOKENS`, and a text that is longer
   * alone, takes several passes.
   * @param onStates called for each text with the states of its own tokens, in rows; for one of several passes more than once
   */
  embedWindows(
    windows: readonly Window[],
    onStates?: (text: number, states: Float32Array) => void,
  ): Promise<Float32Array>;
  /** Embeds one question as `embed` does, and returns the states of its own tokens (`tokenStates`) of the same pass. */
  embedQuestion(text: string): Promise<{ readonly vector: Float32Array; readonly states: Float32Array }>;
  /**
   * Returns the states of a text's own tokens: one row of `dimensions` numbers per token, at least one row. A text longer than
   * the model's limit is cut. Goes before the passes of all other calls that wait.
   */
  tokenStates(kind: TextKind, text: string): Promise<Float32Array>;
  close(): Promise<void>;
}

/**
 * Opens a model. Vectors are pooled over the tokens and normalized.
 *
 * Texts are embedded one at a time. The int8 model scales its activations over the whole batch, so in a batch the vector of
 * a text would depend on its neighbours (cosine .997 to the text alone), also on those of other organizations. Batches of 8
 * would save a fifth of the time of 60-token texts; from 100 tokens on they save nothing.
 *
 * @param options.threads threads of one inference. Default: 1, because two models with one thread each embed more per second
 * than one model with two.
 * @throws Error if a file cannot be read, or the platform has no build of onnxruntime
 */
export async function openBareModel(
  files: ModelFiles,
  options: { readonly threads?: number } = {},
): Promise<BareModel> {
  const { maxTokens, prefixes, pooling, tokenizer: kind = 'wordpiece', questions } = files.usage;
  const tokenizer = await openTextTokenizer(files.tokenizer, kind);
  const { begin, separator } = tokenizer;
  const { session, Tensor } = await openSession(files, options.threads ?? 1);
  const textTokens = (text: string): readonly number[] => tokenizer.encode(text.slice(0, MAX_CHARACTERS));
  /** A text without a token, such as white space, takes the state of a separator. */
  const ownTokens = (text: string): readonly number[] => {
    const ids = textTokens(text);
    return ids.length === 0 ? [separator] : ids;
  };
  const prefixTokens = { query: textTokens(prefixes.query), passage: textTokens(prefixes.passage) };
  const queue = new PassQueue();

  function tokensOf(text: string): readonly number[] {
    const ids = firstTokens(text, maxTokens, (part) => [begin, ...tokenizer.encode(part), separator]);
    return ids.length <= maxTokens ? ids : [...ids.slice(0, maxTokens - 1), separator];
  }

  /** Returns the last layer, one row of `dimensions` numbers per token. */
  async function run(tokens: readonly number[], isUrgent = false): Promise<Float32Array> {
    const shape = [1, tokens.length];
    const inputs: Readonly<Record<string, () => BigInt64Array>> = {
      input_ids: () => BigInt64Array.from(tokens, BigInt),
      attention_mask: () => new BigInt64Array(tokens.length).fill(1n),
      token_type_ids: () => new BigInt64Array(tokens.length),
    };
    const feeds = Object.fromEntries(
      session.inputNames.map((name) => [name, new Tensor('int64', inputs[name]?.() ?? new BigInt64Array(), shape)]),
    );
    const { last_hidden_state } = await queue.run(isUrgent, () => session.run(feeds));
    return (last_hidden_state as { data: unknown }).data as Float32Array;
  }

  /** Returns a question's own tokens of the last layer: without the closing one, unless it has no token of its own. */
  function ownStates(layer: Float32Array): Float32Array {
    const first = (1 + prefixTokens.query.length) * dimensions;
    return layer.subarray(first, Math.max(first + dimensions, layer.length - dimensions));
  }

  /** Writes the vector of a text to `into`. @returns the last layer */
  async function embedText(kind: TextKind, text: string, into: Float32Array): Promise<Float32Array> {
    const layer = await run(tokensOf(prefixes[kind] + text));
    if (kind === 'query' && questions === 'centred') {
      pool(ownStates(layer), into);
      centre(into, await questionMean());
    } else pool(pooling === 'cls' ? layer.subarray(0, into.length) : layer, into);
    return layer;
  }

  let mean: Promise<Float32Array> | null = null;
  /** Made with the first question: 48 short passes, which threads that embed passages do without. */
  function questionMean(): Promise<Float32Array> {
    mean ??= (async () => {
      const vectors: Float32Array[] = [];
      for (const question of EVERYDAY_QUESTIONS) {
        const vector = new Float32Array(dimensions);
        pool(ownStates(await run(tokensOf(prefixes.query + question))), vector);
        vectors.push(vector);
      }
      return meanVector(vectors);
    })();
    mean.catch(() => {
      mean = null;
    });
    return mean;
  }

  const probe = tokensOf('');
  const dimensions = (await run(probe)).length / probe.length;
  return {
    dimensions,
    async embed(kind, texts) {
      const rows = new Float32Array(texts.length * dimensions);
      for (const [i, text] of texts.entries()) {
        await embedText(kind, text, rows.subarray(i * dimensions, (i + 1) * dimensions));
      }
      return rows;
    },
    async embedQuestion(text) {
      const vector = new Float32Array(dimensions);
      const layer = await embedText('query', text, vector);
      return { vector, states: ownStates(layer).slice() };
    },
    async embedWindows(windows, onStates = () => {}) {
      const rows = new Float32Array(windows.reduce((sum, window) => sum + window.length, 0) * dimensions);
      let first = 0;
      for (const window of windows) {
        const prefix = prefixTokens.passage;
        const texts = window.map(ownTokens);
        for (const pass of passesOf(
          texts.map(({ length }) => length),
          PASS_TOKENS - prefix.length,
        )) {
          const tokens = [begin, ...prefix];
          for (const { text, from, to } of pass) tokens.push(...(texts[text] as readonly number[]).slice(from, to));
          const layer = await run([...tokens, separator]);
          let at = (1 + prefix.length) * dimensions;
          for (const { text, from, to } of pass) {
            const end = at + (to - from) * dimensions;
            const row = (first + text) * dimensions;
            const states = layer.subarray(at, end);
            add(states, rows.subarray(row, row + dimensions));
            onStates(first + text, states);
            at = end;
          }
        }
        first += window.length;
      }
      for (let at = 0; at < rows.length; at += dimensions) normalize(rows.subarray(at, at + dimensions));
      return rows;
    },
    async tokenStates(kind, text) {
      const prefix = prefixTokens[kind];
      const own = ownTokens(text).slice(0, maxTokens - prefix.length - 2);
      const layer = await run([begin, ...prefix, ...own, separator], true);
      const first = (1 + prefix.length) * dimensions;
      return layer.slice(first, first + own.length * dimensions);
    },
    close: () => session.release(),
  };
}
