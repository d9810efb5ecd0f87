import { constants } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import pLimit from 'p-limit';
import { absentAsNull, mnemeError, syncFolder } from '#platform/kernel';
import { MasterKey, parseMasterKeys } from './master-key.ts';
import { MasterKeyMissingError, type MasterKeys, unknownKey } from './master-keys.ts';

/** The file holds no keys, cannot be read, or can be read by others; the message says which. */
class KeyFileError extends mnemeError('permanent', 'key_file_unusable') {}

/** Permission bits of users who are neither the owner nor, for reading, of the group. */
const OTHERS = 0o027;

export interface KeyFileOptions {
  readonly path: string;
  /** Whether this program makes the file when a key is needed, and adds keys to it; else an operator does. */
  readonly isOwn: boolean;
}

/** Keys in a file, the newest first. It is read again whenever a newer one may be there, so keys change while a process serves. */
export class KeyFile implements MasterKeys {
  readonly place: string;
  readonly isGenerated: boolean;
  readonly #inTurn = pLimit(1);
  #known: readonly MasterKey[] = [];

  constructor({ path, isOwn }: KeyFileOptions) {
    this.place = path;
    this.isGenerated = isOwn;
  }

  /** Returns whether there is a file. @throws KeyFileError if it cannot be used */
  async check(): Promise<boolean> {
    return (await this.#read()) !== null;
  }

  newest(): Promise<MasterKey> {
    return this.#inTurn(async () => {
      const [newest] = (await this.#read()) ?? [];
      if (newest !== undefined) return newest;
      if (!this.isGenerated) throw new MasterKeyMissingError(`The key file ${this.place} is not there.`);
      return this.#add([]);
    });
  }

  async named(id: string): Promise<MasterKey> {
    const find = () => this.#known.find((key) => key.id === id);
    const known = find();
    if (known !== undefined) return known;
    await this.#read();
    return find() ?? unknownKey(id, this.place);
  }

  async has(id: string): Promise<boolean> {
    return ((await this.#read()) ?? []).some((key) => key.id === id);
  }

  async renew(): Promise<MasterKey | null> {
    if (!this.isGenerated) return null;
    return this.#inTurn(async () => this.#add((await this.#read()) ?? []));
  }

  /** Returns null if there is no file. @throws KeyFileError */
  async #read(): Promise<readonly MasterKey[] | null> {
    const file = await open(this.place, constants.O_RDONLY).catch(absentAsNull).catch(unreadable(this.place));
    if (file === null) {
      this.#known = [];
      return null;
    }
    try {
      const { mode } = await file.stat();
      if ((mode & OTHERS) !== 0) {
        throw new KeyFileError(`The key file ${this.place} is open to other users. Run: chmod 600 ${this.place}`);
      }
      this.#known = await keysIn(file, this.place);
      return this.#known;
    } finally {
      await file.close();
    }
  }

  /** Durable when it resolves: nothing is sealed with a key that may be lost. */
  async #add(others: readonly MasterKey[]): Promise<MasterKey> {
    const key = MasterKey.generate();
    const keys = [key, ...others];
    const draft = `${this.place}-new`;
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(keys.map((one) => `${one.reveal()}\n`).join(''));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, this.place);
    await syncFolder(dirname(this.place));
    this.#known = keys;
    return key;
  }
}

async function keysIn(file: FileHandle, path: string): Promise<readonly MasterKey[]> {
  const text = await file.readFile('utf8').catch(unreadable(path));
  try {
    return parseMasterKeys(text);
  } catch (error) {
    throw new KeyFileError(`The key in ${path} ${(error as Error).message}.`);
  }
}

function unreadable(path: string): (error: unknown) => never {
  return (error) => {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new KeyFileError(`The key file ${path} cannot be read (${code}).`, { cause: error });
  };
}
