import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { ConfigError, readEnvironment } from '#platform/config';
import { type Json, type JsonObject, mnemeError } from '#platform/kernel';

/** Options of commands that ask a running server over HTTP. */
export interface ServedOptions {
  readonly url: string;
  readonly keyFile?: string;
}

export const withServer = (command: Command): Command =>
  command
    .option('--url <address>', 'address of the server', 'http://127.0.0.1:6767')
    .option('--key-file <path>', 'file with the key (default: the key in MNEME_API_KEY)');

/** What a server has answered that is no success. */
export class RefusedError extends mnemeError('permanent', 'refused') {
  /** The field that is wrong; null: none. */
  readonly field: string | null;
  readonly status: number;

  constructor(message: string, field: string | null, status: number) {
    super(message);
    this.field = field;
    this.status = status;
  }
}

/** The server cannot be reached. */
class ServerGoneError extends mnemeError('transient', 'server_gone') {}

/** A running server. */
export class Served {
  readonly #address: string;
  readonly #key: string;

  private constructor(address: string, key: string) {
    this.#address = address;
    this.#key = key;
  }

  /** @throws ConfigError */
  static async of({ url, keyFile }: ServedOptions): Promise<Served> {
    return new Served(addressOf(url), await keyOf(keyFile));
  }

  /** @throws RefusedError; ServerGoneError */
  async ask<T = JsonObject>(method: string, path: string, body?: JsonObject): Promise<T> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = {
      ...{ authorization: `Bearer ${this.#key}`, accept: 'application/json' },
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const answer = await fetch(`${this.#address}${path}`, { method, headers, ...sent }).catch((error: Error) => {
      throw new ServerGoneError(`The server at ${this.#address} does not answer: ${error.message}`);
    });
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text) as T;
    const { error, details } = refusalIn(text);
    const said = typeof error === 'string' ? error : `The server answered with ${answer.status}`;
    throw new RefusedError(said, typeof details === 'string' ? details : null, answer.status);
  }
}

function refusalIn(text: string): { readonly error?: Json; readonly details?: Json } {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {};
  }
}

/** @throws ConfigError */
export function addressOf(address: string): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`--url must be an address like http://127.0.0.1:6767, not ${address}`);
  }
  return url.href.replace(/\/+$/, '');
}

/** @throws ConfigError */
export async function keyOf(file: string | undefined): Promise<string> {
  const key = file === undefined ? readEnvironment().MNEME_API_KEY : (await textOf(file)).trim();
  if (key && /^\S+$/.test(key)) return key;
  throw new ConfigError('There is no key: set MNEME_API_KEY, or name a file with it by --key-file');
}

const textOf = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: Error) => {
    throw new ConfigError(`The key cannot be read: ${error.message}`);
  });
