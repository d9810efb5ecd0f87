import { type Clock, mnemeError } from '#platform/kernel';
import { keyIdOf, type MasterKey, type MasterKeys, openValue, sealValue } from '#platform/sealing';
import type { SecretName, SecretStore, StoredSecret } from './port.ts';

/** Bytes of a value in UTF-8. */
const MAX_BYTES = 65_536;
const NAME = /^[\w-]+(\/[\w-]+)*$/;
const MAX_NAME_LENGTH = 200;

/** A name or a value that cannot be stored; the message says why. */
class SecretUnsuitableError extends mnemeError('permanent', 'secret_unsuitable') {}

/** A secret without its value. */
export interface SecretEntry extends SecretName {
  /** Milliseconds since the Unix epoch. */
  readonly changedAt: number;
  /** Id of the master key that it is sealed with. */
  readonly key: string;
  /** Whether a present master key opens it. */
  readonly opens: boolean;
}

export interface Rotation {
  /** Id of the key that seals now. */
  readonly key: string;
  /** Whether the key was made by this rotation. */
  readonly isNew: boolean;
  readonly sealed: number;
  /** Sealed with a key that is not there any more; they are left as they are. */
  readonly left: number;
}

/**
 * Secrets that the server itself has to present, such as the tokens of connectors: sealed with the master key, each for its
 * organization and name alone, so that a sealed value opens nowhere else.
 */
export class Secrets {
  readonly #store: SecretStore;
  readonly #keys: MasterKeys;
  readonly #clock: Clock;

  constructor(store: SecretStore, keys: MasterKeys, clock: Clock) {
    this.#store = store;
    this.#keys = keys;
    this.#clock = clock;
  }

  /** @throws MasterKeyMissingError if no secret could be put */
  async ready(): Promise<void> {
    await this.#keys.newest();
  }

  /**
   * Sets a secret; a former value is overwritten.
   * @param value at most 64 KiB
   * @throws MasterKeyMissingError; SecretUnsuitableError
   */
  async put(name: SecretName, value: string): Promise<void> {
    assertSuitable(name, value);
    const sealed = await sealValue(this.#keys, value, contextOf(name));
    await this.#store.write({ ...idOf(name), sealed, changedAt: this.#clock.now() });
  }

  /** Returns null if there is none. @throws OtherMasterKeyError, MasterKeyMissingError: it has to be set again; SealBrokenError */
  async get(name: SecretName): Promise<string | null> {
    const stored = await this.#store.read(name);
    return stored === null ? null : openValue(this.#keys, stored.sealed, contextOf(name));
  }

  async delete(name: SecretName): Promise<void> {
    await this.#store.remove(name);
  }

  /** Destroys all secrets of an organization. */
  async forget(organization: string): Promise<void> {
    await this.#store.removeAll(organization);
  }

  /** @param organization null: all @param owner first part or parts of the names, e.g. `connectors/<id>` */
  async list(organization: string | null, owner?: string): Promise<readonly SecretEntry[]> {
    const stored = await this.#store.list(organization);
    const named = owner === undefined ? stored : stored.filter(({ name }) => name.startsWith(`${owner}/`));
    const entries = named.map(({ sealed, ...entry }) => ({ ...entry, key: keyIdOf(sealed) }));
    // Once for each key, because it is looked for in the file of the keys.
    const opens = new Map<string, boolean>();
    for (const key of new Set(entries.map((entry) => entry.key))) opens.set(key, await this.#keys.has(key));
    return entries.map((entry) => ({ ...entry, opens: opens.get(entry.key) === true }));
  }

  /**
   * Seals every secret again that another key than the newest has sealed. Readers and writers go on meanwhile.
   * @throws MasterKeyMissingError
   */
  async rotate(): Promise<Rotation> {
    const made = await this.#keys.renew();
    const newest = made ?? (await this.#keys.newest());
    let [sealed, left] = [0, 0];
    for (const secret of await this.#store.list(null)) {
      const outcome = await this.#reseal(secret, newest);
      if (outcome === 'sealed') sealed += 1;
      if (outcome === 'left') left += 1;
    }
    return { key: newest.id, isNew: made !== null, sealed, left };
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #reseal(listed: StoredSecret, { id: newest }: MasterKey): Promise<'sealed' | 'left' | 'unchanged'> {
    for (let secret: StoredSecret | null = listed; secret !== null; secret = await this.#store.read(listed)) {
      const key = keyIdOf(secret.sealed);
      if (key === newest) return 'unchanged';
      if (!(await this.#keys.has(key))) return 'left';
      const context = contextOf(secret);
      const sealed = await sealValue(this.#keys, await openValue(this.#keys, secret.sealed, context), context);
      if (await this.#store.replace({ ...secret, sealed }, secret.sealed)) return 'sealed';
    }
    return 'unchanged';
  }
}

const idOf = ({ organization, name }: SecretName): SecretName => ({ organization, name });

const contextOf = ({ organization, name }: SecretName): string => JSON.stringify([organization, name]);

function assertSuitable({ name }: SecretName, value: string): void {
  if (!NAME.test(name) || name.length > MAX_NAME_LENGTH) {
    throw new SecretUnsuitableError(
      'The name of a secret has up to 200 letters, digits, "-" and "_", in parts joined by "/".',
    );
  }
  if (Buffer.byteLength(value) > MAX_BYTES) throw new SecretUnsuitableError('A secret has at most 64 KiB.');
}
