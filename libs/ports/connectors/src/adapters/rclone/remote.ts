import { FetchFailedError } from '#platform/fetch';
import type { JsonObject } from '#platform/kernel';
import { ItemUnreadableError, SourceLostError } from '../../errors.ts';
import type { DaemonAddress } from './daemon.ts';

export interface RemoteEntry {
  readonly Path: string;
  readonly Name: string;
  /** -1: unknown. */
  readonly Size: number;
  readonly MimeType?: string;
  readonly ModTime: string;
  readonly IsDir: boolean;
  readonly Hashes?: Readonly<Record<string, string>>;
}

export interface RemoteOptions {
  /** Of the entry; messages name the source by it. */
  readonly entry: string;
  readonly remote: string;
  /** Starts rclone if need be. */
  readonly address: () => Promise<DaemonAddress>;
  /** Opens a fetch for the process. */
  readonly fetch: (url: string) => typeof globalThis.fetch;
}

/** What a permission that has ended makes providers say. */
const REFUSED =
  /invalid_grant|unauthori[sz]ed|forbidden|access.?denied|permission denied|expired|\b40[13]\b|didn't find section/i;

/** Thrown by `list` for a folder that is not there. */
export class FolderGoneError extends Error {}

/** A remote of rclone. */
export class Remote {
  readonly #options: RemoteOptions;

  constructor(options: RemoteOptions) {
    this.#options = options;
  }

  /** Returns the name of a hash that the remote has at hand for each file in a listing; null: none. */
  async hash(signal: AbortSignal): Promise<string | null> {
    const { Features, Hashes } = await this.#call<{
      readonly Features?: { readonly SlowHash?: boolean };
      readonly Hashes?: readonly string[] | null;
    }>('operations/fsinfo', {}, signal);
    return Features?.SlowHash === false ? (Hashes?.[0] ?? null) : null;
  }

  /** Returns what is in a folder. @throws FolderGoneError */
  async list(folder: string, hash: string | null, signal: AbortSignal): Promise<readonly RemoteEntry[]> {
    const opt = hash === null ? {} : { showHash: true, hashTypes: [hash] };
    const { list } = await this.#call<{ readonly list: readonly RemoteEntry[] | null }>(
      'operations/list',
      { remote: folder, opt },
      signal,
    );
    return list ?? [];
  }

  /** @throws ItemUnreadableError */
  async read(path: string, signal: AbortSignal): Promise<Response> {
    const { url, authorization } = await this.#options.address();
    const parts = [`[${this.#options.remote}:]`, ...path.split('/')].map(encodeURIComponent);
    const response = await this.#options.fetch(url)(`${url}${parts.join('/')}`, { headers: { authorization }, signal });
    if (response.ok) return response;
    const text = await messageOf(response);
    if (response.status === 404) throw new ItemUnreadableError('It is no longer there.');
    throw this.#failed(text);
  }

  async #call<T>(command: string, input: JsonObject, signal: AbortSignal): Promise<T> {
    const { remote, address, fetch } = this.#options;
    const { url, authorization } = await address();
    const response = await fetch(url)(`${url}${command}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ fs: `${remote}:`, ...input }),
      signal,
    });
    if (response.ok) return (await response.json()) as T;
    const text = await messageOf(response);
    if (/directory not found/.test(text)) throw new FolderGoneError(text);
    throw this.#failed(text);
  }

  #failed(text: string): SourceLostError | FetchFailedError {
    // Addresses may hold what signs them.
    const said = text.replace(/https?:\/\/\S+/g, '…').slice(0, 300);
    const message = `rclone cannot read ${this.#options.entry}: ${said}`;
    return REFUSED.test(text) ? new SourceLostError(message) : new FetchFailedError(message, { isTemporary: true });
  }
}

async function messageOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    return typeof error === 'string' ? error : text;
  } catch {
    return text;
  }
}
