import { type BigIntStats, lstatSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import type { Json } from '#platform/kernel';
import type { ListingPage, Source, SourceContent, SourceItem } from '../../connector.ts';
import { SourceLostError } from '../../errors.ts';
import { bytesOf, openFile, versionOf } from './open-file.ts';
import { type ScannedFile, scan } from './scan.ts';
import { watchFolder } from './watch-folder.ts';

const PAGE = 1_000;

export interface FolderSourceOptions {
  /** Of the entry. Messages have it in place of the path, which is the operator's. */
  readonly name: string;
  /** Path of the entry. */
  readonly entry: string;
  /** Below it, without slashes at its ends. */
  readonly path: string;
  readonly warn: (message: string, cause?: unknown) => void;
}

/** What a listing leaves for the next one. */
interface FolderCursor {
  /** Which folder it was. */
  readonly root: string;
  /** Folders in it that could not be read. What was in them is unknown. */
  readonly unreadable: readonly string[];
}

/** The files below a folder. Their paths are their ids. */
export class FolderSource implements Source {
  readonly listsEverything = true;
  readonly #options: FolderSourceOptions;

  constructor(options: FolderSourceOptions) {
    this.#options = options;
  }

  async *list(cursor: Json | null, signal: AbortSignal): AsyncGenerator<ListingPage> {
    const former = cursor as FolderCursor | null;
    const root = await this.#root();
    const identity = identityOf(root);
    if (former !== null && former.root !== identity && (await isEmpty(root))) {
      throw new SourceLostError(`The folder ${this.#shown} is another one than before, and empty. Is it mounted?`);
    }
    const unreadable: string[] = [];
    let items: SourceItem[] = [];
    try {
      for await (const { files, unreadable: folder } of scan(root, signal)) {
        if (folder !== null) unreadable.push(folder);
        items.push(...files.map((file) => this.#itemOf(file)));
        if (items.length < PAGE) continue;
        yield { items, removed: [], ends: null };
        items = [];
      }
    } catch (error) {
      throw this.#lost(error);
    }
    if (identityOf(root) !== identity)
      throw new SourceLostError(`The folder ${this.#shown} was replaced while it was read.`);
    yield { items, removed: [], ends: this.#ends(former, identity, unreadable) };
  }

  /** What was in a folder that can't be read any more may still be there. */
  #ends(former: FolderCursor | null, root: string, unreadable: readonly string[]): NonNullable<ListingPage['ends']> {
    const lost = former === null ? [] : unreadable.filter((folder) => !former.unreadable.includes(folder));
    for (const folder of lost)
      this.#options.warn(`${this.#shown}/${folder} cannot be read. Nothing is removed meanwhile.`);
    const known = unreadable.filter((folder) => !lost.includes(folder));
    return { listing: lost.length > 0 ? 'changes' : 'complete', cursor: { root, unreadable: known } };
  }

  async fetch<T>(item: SourceItem, use: (content: SourceContent) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { handle, status } = await openFile(await this.#root(), item.id);
    try {
      const body = bytesOf(handle, status, signal);
      return await use({ type: null, name: basename(item.id), contentType: null, body });
    } finally {
      await handle.close();
    }
  }

  async watch(changed: () => void, signal: AbortSignal): Promise<void> {
    await watchFolder(await this.#root(), { changed, signal, warn: this.#options.warn });
  }

  async close(): Promise<void> {}

  get #shown(): string {
    return posix.join(this.#options.name, this.#options.path);
  }

  /** Returns the path without links: the operator may have named one, below it none leads away. */
  async #root(): Promise<string> {
    const { entry, path } = this.#options;
    try {
      const root = join(await realpath(entry), path);
      if ((await realpath(root)) === root && lstatSync(root).isDirectory()) return root;
    } catch (error) {
      throw this.#lost(error);
    }
    throw new SourceLostError(`${this.#shown} is no folder, or a link leads to it.`);
  }

  #lost(error: unknown): unknown {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) return error;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    const reason = isMissing ? 'is not there. Is it mounted?' : `cannot be read (${code}).`;
    return new SourceLostError(`The folder ${this.#shown} ${reason}`, { cause: error });
  }

  /** Paths of documents begin where the operator's folder does. */
  #itemOf({ path, status }: ScannedFile): SourceItem {
    const { path: above } = this.#options;
    return {
      ...{ id: path, version: versionOf(status), title: basename(path), size: Number(status.size) },
      path: `/${above === '' ? '' : `${above}/`}${path}`,
      ...{ contentType: null, link: null, owner: null, createdAt: null, updatedAt: timeOf(status) },
    };
  }
}

const timeOf = ({ mtimeMs }: BigIntStats): string => new Date(Number(mtimeMs)).toISOString();

function identityOf(root: string): string {
  try {
    const { dev, ino } = lstatSync(root, { bigint: true });
    return `${dev}-${ino}`;
  } catch {
    return 'none';
  }
}

const isEmpty = async (root: string): Promise<boolean> => (await readdir(root)).length === 0;
