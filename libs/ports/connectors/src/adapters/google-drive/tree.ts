import type { DriveApi } from './drive-api.ts';
import { DriveRefusedError } from './drive-api.ts';
import { type DriveFile, FOLDER, getFile, partOf } from './files.ts';

interface Folder {
  readonly id: string;
  readonly name: string;
  readonly parent: string | null;
  readonly driveId: string | null;
}

/** A way from a root down to a folder, the root first. */
export type Chain = readonly Folder[];

/** More folders than Drive lets lie in one another. */
const MAX_DEPTH = 200;
const SHARED_WITH_ME = 'Shared with me';

/** The folders of one account, as far as they were needed. What a listing brings is not asked for. */
export class Tree {
  readonly #api: DriveApi;
  readonly #signal: AbortSignal;
  /** Null: it is not there, or not for this account. */
  readonly #folders = new Map<string, Folder | null>();
  #root: Promise<string> | null = null;

  constructor(api: DriveApi, signal: AbortSignal) {
    this.#api = api;
    this.#signal = signal;
  }

  remember({ id, name, parents = [], driveId }: DriveFile): void {
    // The root of a shared drive is called "Drive", whatever the drive is called.
    if (id !== driveId) this.#folders.set(id, { id, name, parent: parents[0] ?? null, driveId: driveId ?? null });
  }

  rememberDrive(id: string, name: string): void {
    this.#folders.set(id, { id, name, parent: null, driveId: id });
  }

  has(id: string): boolean {
    return this.#folders.has(id);
  }

  /** Returns the folders that a file lies in. */
  async chainOf({ parents = [] }: DriveFile): Promise<Chain> {
    const chain: Folder[] = [];
    for (let id = parents[0] ?? null; id !== null && chain.length < MAX_DEPTH; ) {
      const folder = await this.#folder(id);
      if (folder === null) break;
      chain.unshift(folder);
      id = folder.parent;
    }
    return chain;
  }

  /** Returns the path of a file in a chain of folders. What has no root above it was shared. */
  async pathOf({ name, driveId }: DriveFile, chain: Chain): Promise<string> {
    const names = [...chain.map((folder) => folder.name), name];
    const isRooted = driveId !== undefined || chain[0]?.id === (await this.#myDrive());
    return `/${[...(isRooted ? [] : [SHARED_WITH_ME]), ...names].map(partOf).join('/')}`;
  }

  #myDrive(): Promise<string> {
    this.#root ??= this.#api.get<{ id: string }>('/files/root', { fields: 'id' }, this.#signal).then(({ id }) => id);
    return this.#root;
  }

  async #folder(id: string): Promise<Folder | null> {
    const known = this.#folders.get(id);
    if (known !== undefined) return known;
    const folder = await this.#ask(id);
    this.#folders.set(id, folder);
    return folder;
  }

  async #ask(id: string): Promise<Folder | null> {
    try {
      const file = await getFile(this.#api, id, this.#signal);
      if (file.mimeType !== FOLDER) return null;
      const driveId = file.driveId ?? null;
      const name = driveId === id ? await this.#nameOfDrive(id) : file.name;
      return { id, name, parent: file.parents?.[0] ?? null, driveId };
    } catch (error) {
      if (error instanceof DriveRefusedError && error.status === 404) return null;
      throw error;
    }
  }

  async #nameOfDrive(id: string): Promise<string> {
    return (
      await this.#api.get<{ name: string }>(`/drives/${encodeURIComponent(id)}`, { fields: 'name' }, this.#signal)
    ).name;
  }
}
