import type { Json } from '#platform/kernel';
import type { ListingPage, Source, SourceContent, SourceItem } from '../../connector.ts';
import { ItemUnreadableError, SourceLostError } from '../../errors.ts';
import { FolderGoneError, type Remote, type RemoteEntry } from './remote.ts';

/** Folders that are listed at a time. */
const AT_ONCE = 4;

export interface RcloneSourceOptions {
  readonly entry: string;
  readonly remote: Remote;
  /** Of the entry, which is the operator's: links are followed in it. */
  readonly root: string;
  /** Below it, chosen by a caller. */
  readonly path: string;
  /** Lets the process go. */
  readonly close: () => Promise<void>;
}

/** The files below a folder of a remote. Their paths below the entry are their ids. */
export class RcloneSource implements Source {
  readonly #options: RcloneSourceOptions;

  constructor(options: RcloneSourceOptions) {
    this.#options = options;
  }

  async *list(_: Json | null, signal: AbortSignal): AsyncGenerator<ListingPage> {
    const { remote, path } = this.#options;
    await this.#checkPath(signal);
    const hash = await remote.hash(signal);
    const folders = [path];
    while (folders.length > 0) {
      const found = await Promise.all(folders.splice(-AT_ONCE).map((folder) => this.#listFolder(folder, hash, signal)));
      const entries = found.flat();
      folders.push(...entries.filter(({ IsDir }) => IsDir).map((entry) => this.#below(entry)));
      const items = entries.filter(({ IsDir }) => !IsDir).map((entry) => this.#itemOf(entry, hash));
      if (items.length > 0) yield { items, removed: [], ends: null };
    }
    yield { items: [], removed: [], ends: { listing: 'complete', cursor: null } };
  }

  async fetch<T>(item: SourceItem, use: (content: SourceContent) => Promise<T>, signal: AbortSignal): Promise<T> {
    if (item.id.split('/').some((part) => ['', '.', '..'].includes(part))) {
      throw new ItemUnreadableError('Its path leads elsewhere.');
    }
    const response = await this.#options.remote.read(this.#full(item.id), signal);
    const body = response.body ?? ReadableStream.from<Uint8Array>([]);
    try {
      return await use({ type: null, name: item.title, contentType: item.contentType, body });
    } finally {
      if (!body.locked) await body.cancel();
    }
  }

  close(): Promise<void> {
    return this.#options.close();
  }

  /** A folder that its parent does not list is not there, or is a link. @throws SourceLostError */
  async #checkPath(signal: AbortSignal): Promise<void> {
    const { entry, remote, path } = this.#options;
    const parts = path === '' ? [] : path.split('/');
    try {
      if (parts.length === 0) await remote.list(this.#full(''), null, signal);
      for (const [at, part] of parts.entries()) {
        const listed = await remote.list(this.#full(parts.slice(0, at).join('/')), null, signal);
        if (!listed.some(({ Name, IsDir }) => IsDir && Name === part)) throw new FolderGoneError();
      }
    } catch (error) {
      if (!(error instanceof FolderGoneError)) throw error;
      throw new SourceLostError(`The folder ${[entry, ...parts].join('/')} is not there.`);
    }
  }

  async #listFolder(folder: string, hash: string | null, signal: AbortSignal): Promise<readonly RemoteEntry[]> {
    try {
      return await this.#options.remote.list(this.#full(folder), hash, signal);
    } catch (error) {
      // The one where the listing begins was there; others may vanish meanwhile.
      if (error instanceof FolderGoneError && folder !== this.#options.path) return [];
      if (error instanceof FolderGoneError) throw new SourceLostError(`The folder ${this.#options.entry} is gone.`);
      throw error;
    }
  }

  #full(path: string): string {
    return [this.#options.root, path].filter((part) => part !== '').join('/');
  }

  /** Returns the path of an entry below that of the operator. */
  #below({ Path }: RemoteEntry): string {
    const { root } = this.#options;
    return root === '' ? Path : Path.slice(root.length + 1);
  }

  #itemOf(entry: RemoteEntry, hash: string | null): SourceItem {
    const { Name, Size, MimeType, ModTime, Hashes } = entry;
    const id = this.#below(entry);
    const value = hash === null ? undefined : Hashes?.[hash];
    return {
      ...{ id, path: `/${id}`, title: Name, size: Size < 0 ? null : Size, contentType: MimeType ?? null },
      version: value === undefined || value === '' ? `${Size}-${ModTime}` : `${hash}-${value}`,
      ...{ link: null, owner: null, createdAt: null, updatedAt: timeOf(ModTime) },
    };
  }
}

function timeOf(text: string): string | null {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
