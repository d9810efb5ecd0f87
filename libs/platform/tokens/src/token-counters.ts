import { RestartableThread, startThread } from '#platform/thread-calls';
import type { O200kApi } from './o200k.worker.ts';

/**
 * By what tokens are counted. `o200k`: the encoding of OpenAI's models since GPT-4o. `estimate`: a token for each three ASCII
 * characters, and for each two bytes of UTF-8 of others, which is more than most tokenizers make of most texts.
 */
export const TOKENIZERS = ['o200k', 'estimate'] as const;
export type Tokenizer = (typeof TOKENIZERS)[number];

/** The thread ends after this time without work, which returns its memory. Milliseconds. */
const IDLE_MS = 15 * 60_000;
const ASCII = /[\0-\x7f]+/g;

/**
 * Counts the tokens of each text; of one with more than `most`, a number above it, so that long texts take no longer.
 * Lines that are counted each with its `\n` add up to the count of their text if none begins with white space or `/`.
 */
export type CountTokens = (texts: readonly string[], most?: number) => Promise<readonly number[]>;

/** Counts tokens. The exact tokenizer is in a thread, which starts with the first count and ends when it is not used. */
export class TokenCounters {
  readonly #thread: RestartableThread<O200kApi>;
  readonly #idleMs: number;
  #counting = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(logger: { warn(message: string): void }, { idleMs = IDLE_MS } = {}) {
    this.#idleMs = idleMs;
    this.#thread = new RestartableThread(
      () => startThread(new URL('./o200k.worker.ts', import.meta.url), null, (remote) => remote.call('ready')),
      (message) => logger.warn(`the thread that counts tokens was lost and is started again: ${message}`),
    );
  }

  /** @throws ThreadGoneError from `o200k` if the thread is lost meanwhile */
  of(tokenizer: Tokenizer): CountTokens {
    return tokenizer === 'o200k' ? this.#countExactly : async (texts) => texts.map(estimate);
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#thread.close();
  }

  readonly #countExactly: CountTokens = async (texts, most = Number.POSITIVE_INFINITY) => {
    clearTimeout(this.#idle);
    this.#counting += 1;
    try {
      return await (await this.#thread.remote()).call('count', texts, most);
    } finally {
      this.#counting -= 1;
      if (this.#counting === 0) this.#idle = setTimeout(() => void this.#thread.close(), this.#idleMs).unref();
    }
  };
}

function estimate(text: string): number {
  const others = text.replace(ASCII, '');
  return Math.ceil((text.length - others.length) / 3 + Buffer.byteLength(others) / 2);
}
