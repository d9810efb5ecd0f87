import { err, type JsonObject, ok, type Result } from '#platform/kernel';
import type { Resource, ResourcePage, ResourceRequest, Resources } from '../../resources.ts';
import { type DriveApi, DriveRefusedError } from './drive-api.ts';
import { type DriveFile, FILE_FIELDS, FOLDER, getFile, hasContent, quoted } from './files.ts';
import { type Chosen, type Scope, scopeOf } from './setup.ts';

/** Of what is shared with the account and lies in no drive of its own. */
const SHARED_WITH_ME = 'shared-with-me';
/** Files and folders of one connection. */
const MAX_CHOSEN = 200;

interface FileList {
  readonly files?: readonly DriveFile[];
  readonly nextPageToken?: string;
}

interface DriveList {
  readonly drives?: readonly { readonly id: string; readonly name: string }[];
}

/** What a person sees of a Drive, and chooses. */
export class DriveChoice implements Resources {
  readonly #api: DriveApi;
  readonly #scope: Scope;

  constructor(api: DriveApi, setup: JsonObject) {
    this.#api = api;
    this.#scope = scopeOf(setup);
  }

  async list(request: ResourceRequest, signal: AbortSignal): Promise<Result<ResourcePage, string>> {
    try {
      if (request.parent === null && request.search === null) return ok(await this.#top(request, signal));
      const query =
        request.search === null ? await this.#queryOf(request.parent ?? 'root', signal) : searchFor(request.search);
      return ok(await this.#files(query, request, signal));
    } catch (error) {
      if (error instanceof DriveRefusedError && error.status === 404) return err('There is no such folder.');
      throw error;
    }
  }

  async choose(ids: readonly string[], signal: AbortSignal): Promise<Result<JsonObject, string>> {
    if (ids.length > MAX_CHOSEN) return err(`At most ${MAX_CHOSEN} files and folders can be selected.`);
    const chosen: Chosen[] = [];
    for (const id of new Set(ids)) {
      const file = await this.#present(id, signal);
      const isFolder = file?.mimeType === FOLDER;
      if (file === null || !(isFolder || hasContent(file))) return err(`${id} is no file or folder that can be read.`);
      chosen.push({ id: file.id, name: file.name, isFolder });
    }
    return ok({ syncScope: 'selected', chosen: chosen.map((one) => ({ ...one })) });
  }

  chosen(): readonly Chosen[] {
    return this.#scope.kind === 'full' ? [] : this.#scope.chosen;
  }

  /** Null: there is none, or it lies in the trash. */
  async #present(id: string, signal: AbortSignal): Promise<DriveFile | null> {
    try {
      const file = await getFile(this.#api, id, signal);
      if (file.trashed === true) return null;
      return file.driveId === file.id ? { ...file, name: await this.#nameOf(id, signal) } : file;
    } catch (error) {
      if (error instanceof DriveRefusedError && error.status < 500) return null;
      throw error;
    }
  }

  async #nameOf(drive: string, signal: AbortSignal): Promise<string> {
    return (await this.#api.get<{ name: string }>(`/drives/${encodeURIComponent(drive)}`, { fields: 'name' }, signal))
      .name;
  }

  /** My Drive, what is shared with the account, and its shared drives. */
  async #top({ page, perPage }: ResourceRequest, signal: AbortSignal): Promise<ResourcePage> {
    const root = await getFile(this.#api, 'root', signal);
    const { drives = [] } = await this.#api.get<DriveList>(
      '/drives',
      { pageSize: 100, fields: 'drives(id,name)' },
      signal,
    );
    const none = { contentType: null, size: null, updatedAt: null, link: null };
    const all: readonly Resource[] = [
      { ...none, id: root.id, name: root.name, kind: 'drive', isSelected: this.#isChosen(root.id) },
      { ...none, id: SHARED_WITH_ME, name: 'Shared with me', kind: 'section', isSelected: false },
      ...drives.map(({ id, name }) => ({ ...none, id, name, kind: 'drive' as const, isSelected: this.#isChosen(id) })),
    ];
    const end = page * perPage;
    return { resources: all.slice(end - perPage, end), hasMore: all.length > end };
  }

  async #queryOf(parent: string, signal: AbortSignal) {
    const own = { corpora: 'user' };
    if (parent === SHARED_WITH_ME) return { ...own, q: 'sharedWithMe = true and trashed = false' };
    const { driveId } = await getFile(this.#api, parent, signal);
    const corpus = driveId === undefined ? own : { corpora: 'drive', driveId, includeItemsFromAllDrives: true };
    return { ...corpus, q: `${quoted(parent)} in parents and trashed = false` };
  }

  /** The API knows no numbers of pages: those before are passed through. */
  async #files(query: object, { page, perPage }: ResourceRequest, signal: AbortSignal): Promise<ResourcePage> {
    let pageToken: string | undefined;
    for (let at = 1; ; at += 1) {
      const isLast = at === page;
      const fields = `nextPageToken${isLast ? `,files(${FILE_FIELDS})` : ''}`;
      const paging = { pageToken, pageSize: perPage, fields, orderBy: 'folder,name_natural' };
      const found = await this.#api.get<FileList>('/files', { ...query, ...paging }, signal);
      const hasMore = found.nextPageToken !== undefined;
      if (isLast) return { resources: (found.files ?? []).map((file) => this.#resourceOf(file)), hasMore };
      if (!hasMore) return { resources: [], hasMore };
      pageToken = found.nextPageToken;
    }
  }

  #resourceOf(file: DriveFile): Resource {
    return {
      ...{ id: file.id, name: file.name, isSelected: this.#isChosen(file.id), link: file.webViewLink ?? null },
      kind: file.mimeType === FOLDER ? 'folder' : hasContent(file) ? 'file' : 'section',
      contentType: file.mimeType,
      size: file.size === undefined ? null : Number(file.size),
      updatedAt: file.modifiedTime ?? null,
    };
  }

  #isChosen(id: string): boolean {
    return this.chosen().some((one) => one.id === id);
  }
}

const searchFor = (words: string) => ({
  ...{ corpora: 'allDrives', includeItemsFromAllDrives: true },
  q: `name contains ${quoted(words)} and trashed = false`,
});
