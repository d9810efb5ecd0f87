import { LRUCache } from 'lru-cache';
import { hasCode } from '#platform/kernel';
import { StorageFullError } from '../../errors.ts';
import type { StreamKeys } from '../../stream-keys.ts';
import { DestroyedKeysError, KeyStoreError, MissingStreamKeyError } from './errors.ts';
import { newSealingKey, type SealingKey } from './sealing.ts';

/** More than the documents that wait whose states are in memory. */
const MAX_STREAMS = 50_000;
const MAX_ERASED_STREAMS = 100_000;

interface CachedStream {
  /** Secrets by key id. */
  readonly keys: Map<string, Uint8Array>;
  /** The log has shown in this period that the stream is not erased. */
  isLive: boolean;
}

/** Streams as of a period in which this client follows the log, so that it sees every erasure. */
export type FollowedPeriod = LRUCache<string, CachedStream>;

export interface KeyToSeal extends SealingKey {
  /** Caches the key. Call it after something sealed with the key is stored and the stream is not erased. */
  keep(): void;
}

/**
 * Cache of stream keys, and of streams that are erased. An erasure is written to the log before the keys are destroyed;
 * clients that follow the log then drop their keys. A client that does not follow the log holds no keys.
 */
export class StreamKeyCache {
  readonly #keys: StreamKeys;
  readonly #isMarkedErased: (stream: string) => Promise<boolean>;
  /** Null while erasures may be missed. Each period has its own cache: an answer from an earlier one may be outdated. */
  #period: FollowedPeriod | null = null;
  readonly #erased = new LRUCache<string, true>({ max: MAX_ERASED_STREAMS });
  readonly #fetching = new Map<string, Promise<Uint8Array | null>>();

  /** @param isMarkedErased reads from the log whether the stream is erased */
  constructor(keys: StreamKeys, isMarkedErased: (stream: string) => Promise<boolean>) {
    this.#keys = keys;
    this.#isMarkedErased = isMarkedErased;
  }

  /** Reads from the log whether the stream is erased, unless the cache has it as erased. */
  async isErased(stream: string): Promise<boolean> {
    if (this.#erased.has(stream)) return true;
    const period = this.#period;
    const erased = await this.#isMarkedErased(stream);
    if (erased) this.markErased(stream);
    else this.#markLive(period, stream);
    return erased;
  }

  /**
   * Returns the period in which the stream was seen not to be erased, or null if it was not seen. While the result stays
   * the same, the stream is not erased at any position that this client has followed.
   */
  liveIn(stream: string): FollowedPeriod | null {
    return this.#period?.get(stream)?.isLive ? this.#period : null;
  }

  /**
   * Returns a cached or a new key to seal payloads with, or null if the stream is erased.
   * @param isNew the stream is assumed not to exist, so it cannot have been erased
   */
  async toSeal(stream: string, isNew: boolean): Promise<KeyToSeal | null> {
    if (this.#erased.has(stream)) return null;
    const period = this.#period;
    const [cached] = period?.get(stream)?.keys ?? [];
    if (cached) return { id: cached[0], secret: cached[1], keep: () => {} };
    const key = newSealingKey();
    await this.#translate(() => this.#keys.put(stream, key.id, key.secret));
    // Checked after the put: an erasure that is not visible here begins later, and destroys this key too.
    if (isNew || !(await this.isErased(stream))) {
      const keep = () => {
        this.#cache(period, stream, key);
        this.#markLive(period, stream);
      };
      return { ...key, keep };
    }
    await this.#translate(() => this.#keys.destroy(stream));
    return null;
  }

  /** Returns the secret of a key, or null if the stream is erased. @throws MissingStreamKeyError, DestroyedKeysError */
  async toOpen(stream: string, id: string): Promise<Uint8Array | null> {
    if (this.#erased.has(stream)) return null;
    const cached = this.#period?.get(stream)?.keys.get(id);
    if (cached) return cached;
    const name = `${id} ${stream}`;
    const fetching = this.#fetching.get(name);
    if (fetching) return fetching;
    const fetched = this.#fetch(stream, id).finally(() => this.#fetching.delete(name));
    this.#fetching.set(name, fetched);
    return fetched;
  }

  /** Returns the secret of a key if it is cached. */
  known(stream: string, id: string): Uint8Array | null {
    return this.#period?.get(stream)?.keys.get(id) ?? null;
  }

  /** Caches a key that another client of this process knows, which has followed the log as far as this one. */
  learn(stream: string, key: SealingKey): void {
    this.#cache(this.#period, stream, key);
  }

  async destroy(stream: string): Promise<void> {
    this.markErased(stream);
    await this.#translate(() => this.#keys.destroy(stream));
  }

  markErased(stream: string): void {
    this.#erased.set(stream, true);
    this.#period?.delete(stream);
  }

  /** Records that the stream was created while the log was followed; its erasure will be seen too. */
  markCreated(stream: string): void {
    this.#markLive(this.#period, stream);
  }

  /** Begins a period in which the caller reports every erasure. */
  startPeriod(): void {
    this.#period = new LRUCache({ max: MAX_STREAMS });
  }

  /** Drops all keys, because erasures may be missed from now on. */
  endPeriod(): void {
    this.#period = null;
  }

  #cache(period: FollowedPeriod | null, stream: string, { id, secret }: SealingKey): void {
    this.#cachedStream(period, stream)?.keys.set(id, secret);
  }

  #markLive(period: FollowedPeriod | null, stream: string): void {
    const cached = this.#cachedStream(period, stream);
    if (cached) cached.isLive = true;
  }

  /** Returns null if nothing of the stream may be cached. */
  #cachedStream(period: FollowedPeriod | null, stream: string): CachedStream | null {
    if (!period || this.#erased.has(stream)) return null;
    const cached = period.get(stream) ?? { keys: new Map(), isLive: false };
    period.set(stream, cached);
    return cached;
  }

  async #fetch(stream: string, id: string): Promise<Uint8Array | null> {
    const period = this.#period;
    const secret = await this.#translate(() => this.#keys.get(stream, id));
    // The stream may have been erased in the meantime.
    if (this.#erased.has(stream)) return null;
    if (secret) {
      this.#cache(period, stream, { id, secret });
      return secret;
    }
    if (await this.isErased(stream)) return null;
    if (await this.#translate(() => this.#keys.isDestroyed(stream))) throw new DestroyedKeysError(stream);
    throw new MissingStreamKeyError(
      `The key ${id} of stream ${stream} is not in the key store, though the stream was not erased. ` +
        'Are these the keys of this event store? Erasing the stream accepts the loss.',
    );
  }

  /** @throws StorageFullError, KeyStoreError */
  async #translate<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { message } = error as Error;
      if (hasCode(error, 'no_space')) throw new StorageFullError(message, { cause: error });
      throw new KeyStoreError(`The store of the stream keys failed: ${message}`, { cause: error });
    }
  }
}
