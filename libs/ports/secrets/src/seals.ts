import { createHmac } from 'node:crypto';
import { newId, randomSecret } from '#platform/kernel';
import { TextSeal } from '#platform/sealing';
import type { Secrets } from './secrets.ts';

/** In place of an organization: the keys are of the installation. */
const INSTALLATION = 'installation';
const FORM = /^([A-Za-z0-9]{22})\.([\w-]{1,8000})$/;

interface SealKey {
  readonly id: string;
  readonly secret: string;
}

/** What was sealed. */
export interface Opened<T> {
  readonly content: T;
  /** Makes 43 characters of the content: the same each time, and nobody without the key can make them. */
  derive(label: string): string;
}

/**
 * Seals what the server gives away and gets back, so that it keeps nothing meanwhile and any process opens what another one has
 * sealed. The keys are secrets of the installation. Processes that need the first one at the same moment may make several: a
 * sealed text names its key.
 */
export class Seals<Purpose extends string> {
  readonly #secrets: Pick<Secrets, 'get' | 'put' | 'list'>;
  readonly #owner: string;
  readonly #keys = new Map<string, SealKey>();
  #own: Promise<SealKey> | null = null;

  /** @param owner first part of the names of the keys */
  constructor(secrets: Pick<Secrets, 'get' | 'put' | 'list'>, owner: string) {
    this.#secrets = secrets;
    this.#owner = owner;
  }

  /** A text that is sealed for a purpose opens for no other. @throws MasterKeyMissingError if no key can be stored */
  async seal(purpose: Purpose, content: object): Promise<string> {
    this.#own ??= this.#ownKey();
    const { id, secret } = await this.#own.catch((error: unknown) => {
      this.#own = null;
      throw error;
    });
    return `${id}.${new TextSeal(secret, purpose).seal(JSON.stringify(content))}`;
  }

  /** Null: it is not sealed by this installation for this. */
  async open<T>(purpose: Purpose, text: string): Promise<Opened<T> | null> {
    const [, id = '', sealed = ''] = FORM.exec(text) ?? [];
    const key = id === '' ? null : await this.#keyOf(id);
    const content = key === null ? null : new TextSeal(key.secret, purpose).open(sealed);
    if (key === null || content === null) return null;
    const derive = (label: string) =>
      createHmac('sha256', key.secret)
        .update(JSON.stringify([purpose, label, content]))
        .digest('base64url');
    return { content: JSON.parse(content) as T, derive };
  }

  async #ownKey(): Promise<SealKey> {
    const [first] = (await this.#secrets.list(INSTALLATION, this.#owner)).filter(({ opens }) => opens);
    const known = first === undefined ? null : await this.#keyOf(first.name.slice(this.#owner.length + 1));
    if (known !== null) return known;
    const key = { id: newId(), secret: randomSecret() };
    await this.#secrets.put(this.#nameOf(key.id), key.secret);
    this.#keys.set(key.id, key);
    return key;
  }

  async #keyOf(id: string): Promise<SealKey | null> {
    const known = this.#keys.get(id);
    if (known !== undefined) return known;
    const secret = await this.#secrets.get(this.#nameOf(id));
    if (secret === null) return null;
    const key = { id, secret };
    this.#keys.set(id, key);
    return key;
  }

  #nameOf(id: string) {
    return { organization: INSTALLATION, name: `${this.#owner}/${id}` };
  }
}
