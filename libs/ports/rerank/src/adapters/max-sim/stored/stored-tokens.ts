import { setTimeout as delay } from 'node:timers/promises';
import { type Remote, RestartableThread, startThread } from '#platform/thread-calls';
import type { VectorStore } from '#ports/vector-store';
import { TokenLookup } from './token-lookup.ts';
import type { TokensApi } from './tokens.worker.ts';

/** Where tokens are stored: the path of `vectors.db`, or a cache elsewhere. */
export type TokenStore = { readonly path: string } | { readonly vectors: Pick<VectorStore, 'get'> };

/** Compares questions with stored tokens, in a thread of its own, which starts with the first question if not before. */
export class StoredTokens {
  readonly #store: TokenStore;
  /** Of a cache elsewhere. The thread has its own. */
  readonly #lookup = new TokenLookup();
  readonly #thread: RestartableThread<TokensApi>;

  constructor(store: TokenStore, logger: { warn(message: string): void }) {
    this.#store = store;
    const path = 'path' in store ? store.path : null;
    this.#thread = new RestartableThread(
      () => startThread(new URL('./tokens.worker.ts', import.meta.url), path, (remote) => remote.call('ready')),
      (message) => logger.warn(`the thread that compares tokens was lost and is started again: ${message}`),
    );
  }

  /** Starts the thread, so that the first question need not wait for it. */
  begin(): void {
    // A question tries again, and reports the error.
    this.#thread.remote().catch(() => {});
  }

  /**
   * Compares the first units first.
   * @param question its tokens
   * @param keys of the units' tokens (`tokenKey`)
   * @returns −1…1 for each key; null: nothing is stored, or there was no time
   * @throws errors of the question and of the store, ThreadGoneError
   */
  async compare(
    question: Promise<Int8Array>,
    keys: readonly string[],
    withinMs: number,
  ): Promise<readonly (number | null)[]> {
    const late = new AbortController();
    const expired = delay(withinMs, null, { signal: late.signal }).catch(() => null);
    const comparing = this.#compare(question, keys, Date.now() + withinMs);
    // It may fail after the time is over.
    comparing.catch(() => {});
    try {
      return (await Promise.race([comparing, expired])) ?? keys.map(() => null);
    } finally {
      late.abort();
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  async #compare(question: Promise<Int8Array>, keys: readonly string[], expiresAt: number) {
    const thread: Promise<Remote<TokensApi>> = this.#thread.remote();
    if ('path' in this.#store) {
      const [remote, tokens] = await Promise.all([thread, question]);
      return remote.call('compareStored', tokens, keys, expiresAt);
    }
    const { vectors } = this.#store;
    const read = this.#lookup.lookUpRemotely(keys, (wanted) => vectors.get(wanted));
    const [remote, tokens, units] = await Promise.all([thread, question, read]);
    return remote.call('compareRows', tokens, units, expiresAt);
  }
}
