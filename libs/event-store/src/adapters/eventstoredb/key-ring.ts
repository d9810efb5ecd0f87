import { LRUCache } from 'lru-cache';
import { hasCode } from '#kernel';
import { StorageFullError } from '../../port.ts';
import type { StreamKeys } from '../../stream-keys.ts';
import { KeyStoreError, MissingStreamKeyError } from './errors.ts';
import { newSealingKey, type SealingKey } from './sealing.ts';

const CACHED_STREAMS = 20_000;
const KNOWN_ERASED = 100_000;

/** What is known of a stream whose erasure would be noticed. */
interface Held {
  /** Secrets by the id of their key. */
  readonly keys: Map<string, Uint8Array>;
  /** The log said that it is not erased, or that it was begun in this time. */
  stands: boolean;
}

/** What is known in a time in which every erasure is noticed; another time has another one. */
export type Watch = LRUCache<string, Held>;

export interface KeyToSeal extends SealingKey {
  /** Something was stored that is sealed with it, and its stream is not erased. */
  keep(): void;
}

/**
 * The keys that this process holds at the moment, and the streams that it knows to be erased. An erasure is first written
 * into the log, then the keys are destroyed; whoever follows the log drops what it holds. While nobody follows it, no key
 * is held at all.
 */
export class KeyRing {
  readonly #keys: StreamKeys;
  readonly #isMarkedErased: (stream: string) => Promise<boolean>;
  /** Null while erasures may go unnoticed. Replaced as a whole: what was asked for before comes too late for the next. */
  #watch: Watch | null = null;
  readonly #erased = new LRUCache<string, true>({ max: KNOWN_ERASED });
  readonly #fetching = new Map<string, Promise<Uint8Array | null>>();

  /** @param isMarkedErased whether the log says so now */
  constructor(keys: StreamKeys, isMarkedErased: (stream: string) => Promise<boolean>) {
    this.#keys = keys;
    this.#isMarkedErased = isMarkedErased;
  }

  /** As the log says, unless this process knows already. */
  async isErased(stream: string): Promise<boolean> {
    if (this.#erased.has(stream)) return true;
    const watch = this.#watch;
    const erased = await this.#isMarkedErased(stream);
    if (erased) this.forget(stream);
    else this.#stands(watch, stream);
    return erased;
  }

  /**
   * In which watch it is known that the stream is not erased: as long as the answer is the same, it was not, as far as the
   * log was followed. Null: it has to be asked for.
   */
  standing(stream: string): Watch | null {
    return this.#watch?.get(stream)?.stands ? this.#watch : null;
  }

  /**
   * A key to seal payloads with: one that the stream has as far as is known here, or a new one. Null: it is erased.
   * @param isNew the stream is believed not to exist, so it cannot have been erased
   */
  async toSeal(stream: string, isNew: boolean): Promise<KeyToSeal | null> {
    if (this.#erased.has(stream)) return null;
    const watch = this.#watch;
    const [held] = watch?.get(stream)?.keys ?? [];
    if (held) return { id: held[0], secret: held[1], keep: () => {} };
    const key = newSealingKey();
    await this.#asked(() => this.#keys.put(stream, key.id, key.secret));
    // Asked behind the put: an erasure that is not seen here begins later, and destroys this key too.
    if (isNew || !(await this.isErased(stream))) {
      const keep = () => {
        this.#hold(watch, stream, key);
        this.#stands(watch, stream);
      };
      return { ...key, keep };
    }
    await this.#asked(() => this.#keys.destroy(stream));
    return null;
  }

  /** Null: the stream is erased. @throws MissingStreamKeyError */
  async toOpen(stream: string, id: string): Promise<Uint8Array | null> {
    if (this.#erased.has(stream)) return null;
    const held = this.#watch?.get(stream)?.keys.get(id);
    if (held) return held;
    const name = `${id} ${stream}`;
    const fetching = this.#fetching.get(name);
    if (fetching) return fetching;
    const fetched = this.#fetch(stream, id).finally(() => this.#fetching.delete(name));
    this.#fetching.set(name, fetched);
    return fetched;
  }

  async destroy(stream: string): Promise<void> {
    this.forget(stream);
    await this.#asked(() => this.#keys.destroy(stream));
  }

  /** The stream was erased. */
  forget(stream: string): void {
    this.#erased.set(stream, true);
    this.#watch?.delete(stream);
  }

  /** The stream was begun, which whoever follows the log has noticed, as he will its erasure. */
  begun(stream: string): void {
    this.#stands(this.#watch, stream);
  }

  /** From now on every erasure is noticed. */
  follow(): void {
    this.#watch = new LRUCache({ max: CACHED_STREAMS });
  }

  /** Erasures may go unnoticed: what is held may not be used any more. */
  unfollow(): void {
    this.#watch = null;
  }

  #hold(watch: Watch | null, stream: string, { id, secret }: SealingKey): void {
    this.#heldOf(watch, stream)?.keys.set(id, secret);
  }

  #stands(watch: Watch | null, stream: string): void {
    const held = this.#heldOf(watch, stream);
    if (held) held.stands = true;
  }

  /** Null: nothing may be held of it. */
  #heldOf(watch: Watch | null, stream: string): Held | null {
    if (!watch || this.#erased.has(stream)) return null;
    const held = watch.get(stream) ?? { keys: new Map(), stands: false };
    watch.set(stream, held);
    return held;
  }

  async #fetch(stream: string, id: string): Promise<Uint8Array | null> {
    const watch = this.#watch;
    const secret = await this.#asked(() => this.#keys.get(stream, id));
    // Erased while it was fetched.
    if (this.#erased.has(stream)) return null;
    if (secret) {
      this.#hold(watch, stream, { id, secret });
      return secret;
    }
    if (await this.isErased(stream)) return null;
    throw new MissingStreamKeyError(
      `The key ${id} of stream ${stream} is not in the key store, though the stream was not erased. ` +
        'Are these the keys of this event store? Erasing the stream accepts the loss.',
    );
  }

  /** @throws StorageFullError, KeyStoreError */
  async #asked<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      const { message } = error as Error;
      if (hasCode(error, 'no_space')) throw new StorageFullError(message, { cause: error });
      throw new KeyStoreError(`The store of the stream keys failed: ${message}`, { cause: error });
    }
  }
}
