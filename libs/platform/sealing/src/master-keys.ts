import { mnemeError } from '#platform/kernel';
import { type MasterKey, parseMasterKeys } from './master-key.ts';

/** There is no master key; the message says how to set one. */
export class MasterKeyMissingError extends mnemeError('permanent', 'master_key_missing') {}

/** What was sealed has another key than those at hand; the message names it. */
export class OtherMasterKeyError extends mnemeError('permanent', 'sealed_with_other_key') {
  readonly keyId: string;

  constructor(keyId: string, place: string) {
    super(`It is sealed with another key, ${keyId}, which is not in ${place}`);
    this.keyId = keyId;
  }
}

/** What was sealed is altered, incomplete, or of another place. */
export class SealBrokenError extends mnemeError('permanent', 'seal_broken') {}

/** The keys of an installation. The newest seals, each of them opens. */
export interface MasterKeys {
  /** Where they are, for operators: `MNEME_MASTER_KEY`, or a path. */
  readonly place: string;
  /** Whether the only copy of the keys is a file that this program made. */
  readonly isGenerated: boolean;
  /** Returns the key that seals. @throws MasterKeyMissingError */
  newest(): Promise<MasterKey>;
  /** Returns the key of an id. @throws OtherMasterKeyError, MasterKeyMissingError */
  named(id: string): Promise<MasterKey>;
  /** Whether there is a key of this id, as of now. */
  has(id: string): Promise<boolean>;
  /** Makes a key that is the newest from now on, before the others, where this program keeps the keys; null: elsewhere. */
  renew(): Promise<MasterKey | null>;
}

/** Keys that do not change while the process runs. */
export class FixedMasterKeys implements MasterKeys {
  readonly place: string;
  readonly isGenerated = false;
  readonly #keys: readonly [MasterKey, ...MasterKey[]];

  /** @throws Error whose message follows the name of the setting */
  constructor(text: string, place: string) {
    this.place = place;
    this.#keys = parseMasterKeys(text);
  }

  async newest(): Promise<MasterKey> {
    return this.#keys[0];
  }

  async named(id: string): Promise<MasterKey> {
    return this.#keys.find((key) => key.id === id) ?? unknownKey(id, this.place);
  }

  async has(id: string): Promise<boolean> {
    return this.#keys.some((key) => key.id === id);
  }

  async renew(): Promise<null> {
    return null;
  }
}

/** No keys: whatever needs one is refused. */
export class NoMasterKeys implements MasterKeys {
  readonly place = 'MNEME_MASTER_KEY';
  readonly isGenerated = false;
  readonly #reason: string;

  /** @param reason a sentence that says what to set */
  constructor(reason: string) {
    this.#reason = reason;
  }

  async newest(): Promise<never> {
    throw new MasterKeyMissingError(this.#reason);
  }

  named(): Promise<never> {
    return this.newest();
  }

  async has(): Promise<boolean> {
    return false;
  }

  async renew(): Promise<null> {
    return null;
  }
}

/** @throws OtherMasterKeyError */
export function unknownKey(id: string, place: string): never {
  throw new OtherMasterKeyError(id, place);
}
