import type { ListingPage, SourceItem } from '../../connector.ts';
import { SourceLostError } from '../../errors.ts';
import { cursorOf, startsOf } from './cursor.ts';
import { type DriveApi, DriveRefusedError } from './drive-api.ts';
import { type DriveFile, FOLDER, getFile, hasContent, itemOf, listFiles, partOf, quoted, SHORTCUT } from './files.ts';
import type { Scope } from './setup.ts';
import type { Tree } from './tree.ts';

/** Folders whose content one search brings. */
const BATCH = 20;

/** Lists everything of a scope. */
export class CompleteListing {
  readonly #api: DriveApi;
  readonly #tree: Tree;
  readonly #signal: AbortSignal;
  readonly #visited = new Set<string>();
  /** Their paths by the id of the target. */
  readonly #shortcuts = new Map<string, string>();
  readonly #targets = new Map<string, string>();

  constructor(api: DriveApi, tree: Tree, signal: AbortSignal) {
    this.#api = api;
    this.#tree = tree;
    this.#signal = signal;
  }

  async *list(scope: Scope): AsyncGenerator<ListingPage> {
    const logs = yield* scope.kind === 'full' ? this.#all() : this.#chosen(scope.chosen);
    yield* this.#follow(scope);
    yield { items: [], removed: [], ends: { listing: 'complete', cursor: cursorOf(scope, logs, this.#targets) } };
  }

  /** What the account sees. Folders and shortcuts come first, so that paths are known and no target is listed twice. */
  async *#all() {
    const drives = await this.#drives();
    const logs = await startsOf(this.#api, drives, this.#signal);
    const corpora = [null, ...drives].map((driveId) => ({ driveId }));
    for (const corpus of corpora) {
      const q = `trashed = false and (mimeType = '${FOLDER}' or mimeType = '${SHORTCUT}')`;
      for await (const files of listFiles(this.#api, corpus, q, this.#signal)) {
        for (const file of files) {
          if (file.mimeType === FOLDER) this.#tree.remember(file);
        }
        await this.#keepShortcuts(files);
      }
    }
    for (const corpus of corpora) {
      const q = `trashed = false and mimeType != '${FOLDER}' and mimeType != '${SHORTCUT}'`;
      for await (const files of listFiles(this.#api, corpus, q, this.#signal)) {
        for (const { id } of files) this.#shortcuts.delete(id);
        yield await this.#pageOf(files);
      }
    }
    return logs;
  }

  /** What was chosen, and what is below it. */
  async *#chosen(chosen: readonly { readonly id: string }[]) {
    const roots = await this.#present(chosen);
    const driveIds = new Set(roots.flatMap(({ driveId }) => (driveId === undefined ? [] : [driveId])));
    const logs = await startsOf(this.#api, driveIds, this.#signal);
    const ids = new Set(chosen.map(({ id }) => id));
    const folders = roots.filter(({ mimeType }) => mimeType === FOLDER);
    for (const folder of folders) this.#tree.remember(folder);
    const single: DriveFile[] = [];
    for (const file of roots.filter(({ mimeType }) => mimeType !== FOLDER)) {
      const chain = await this.#tree.chainOf(file);
      if (!chain.some(({ id }) => ids.has(id))) single.push(file);
    }
    await this.#keepShortcuts(single);
    yield await this.#pageOf(single);
    yield* this.#below(folders, (files) => this.#pageOf(files));
    return logs;
  }

  /**
   * @returns what is there of what was chosen, and not in the trash
   * @throws SourceLostError if nothing is there at all
   */
  async #present(chosen: readonly { readonly id: string }[]): Promise<readonly DriveFile[]> {
    const found = (await Promise.all(chosen.map(({ id }) => this.#file(id)))).filter((file) => file !== null);
    if (found.length === 0) {
      throw new SourceLostError('Nothing that was selected is there for this account any more. Select again.');
    }
    return found.filter(({ trashed }) => trashed !== true);
  }

  /** Walks through folders, several at a time, each of them once. */
  async *#below(folders: readonly DriveFile[], pageOf: (files: readonly DriveFile[]) => Promise<ListingPage>) {
    const waiting = folders.filter(({ id }) => this.#visit(id));
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      // A search goes over one corpus.
      const { driveId = null } = first;
      const batch = waiting.filter((one) => (one.driveId ?? null) === driveId).slice(0, BATCH);
      for (const one of batch) waiting.splice(waiting.indexOf(one), 1);
      const q = `(${batch.map(({ id }) => `${quoted(id)} in parents`).join(' or ')}) and trashed = false`;
      for await (const files of listFiles(this.#api, { driveId }, q, this.#signal)) {
        for (const folder of files.filter(({ mimeType }) => mimeType === FOLDER)) {
          this.#tree.remember(folder);
          if (this.#visit(folder.id)) waiting.push(folder);
        }
        yield await pageOf(files);
      }
    }
  }

  #visit(folder: string): boolean {
    const isNew = !this.#visited.has(folder);
    this.#visited.add(folder);
    return isNew;
  }

  /** Brings what shortcuts lead to, unless it was listed. Shortcuts below their targets are not followed. */
  async *#follow(scope: Scope) {
    for (const [id, path] of this.#shortcuts) {
      const target = await this.#file(id);
      if (target === null || target.trashed === true || (await this.#isListed(target, scope))) continue;
      this.#targets.set(id, path);
      if (target.mimeType !== FOLDER) {
        yield { items: hasContent(target) ? [itemOf(target, path)] : [], removed: [], ends: null };
        continue;
      }
      this.#tree.remember(target);
      yield* this.#below([target], async (files) => ({
        ...{ removed: [], ends: null },
        items: await this.#itemsOf(
          files.filter((file) => !isChosen(scope, file.id)),
          async (file) => pathBelow(path, id, file, await this.#tree.chainOf(file)),
        ),
      }));
    }
  }

  /** Of a full scope: files that were listed are no longer among the shortcuts. */
  async #isListed(target: DriveFile, scope: Scope): Promise<boolean> {
    if (target.mimeType === FOLDER && this.#visited.has(target.id)) return true;
    if (scope.kind === 'full') return target.mimeType === FOLDER && this.#tree.has(target.id);
    return isInScope(scope, target, await this.#tree.chainOf(target));
  }

  async #pageOf(files: readonly DriveFile[]): Promise<ListingPage> {
    await this.#keepShortcuts(files);
    const items = await this.#itemsOf(files, async (file) => this.#tree.pathOf(file, await this.#tree.chainOf(file)));
    return { items, removed: [], ends: null };
  }

  async #itemsOf(files: readonly DriveFile[], pathOf: (file: DriveFile) => Promise<string>): Promise<SourceItem[]> {
    const items: SourceItem[] = [];
    for (const file of files.filter(hasContent)) items.push(itemOf(file, await pathOf(file)));
    return items;
  }

  async #keepShortcuts(files: readonly DriveFile[]): Promise<void> {
    for (const shortcut of files.filter(({ mimeType }) => mimeType === SHORTCUT)) {
      const { targetId } = shortcut.shortcutDetails ?? {};
      if (targetId === undefined) continue;
      const path = await this.#tree.pathOf(shortcut, await this.#tree.chainOf(shortcut));
      const known = this.#shortcuts.get(targetId);
      // Of several the same one each time.
      if (known === undefined || path < known) this.#shortcuts.set(targetId, path);
    }
  }

  async #file(id: string): Promise<DriveFile | null> {
    try {
      return await getFile(this.#api, id, this.#signal);
    } catch (error) {
      if (error instanceof DriveRefusedError && error.status === 404) return null;
      throw error;
    }
  }

  async #drives(): Promise<readonly string[]> {
    const ids: string[] = [];
    let pageToken: string | undefined;
    do {
      const query = { pageToken, pageSize: 100, fields: 'nextPageToken,drives(id,name)' };
      const page = await this.#api.get<DriveList>('/drives', query, this.#signal);
      for (const { id, name } of page.drives ?? []) {
        ids.push(id);
        this.#tree.rememberDrive(id, name);
      }
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
    return ids;
  }
}

interface DriveList {
  readonly drives?: readonly { readonly id: string; readonly name: string }[];
  readonly nextPageToken?: string;
}

/** Whether a file belongs to a scope by where it is. */
export const isInScope = (scope: Scope, file: DriveFile, chain: readonly { readonly id: string }[]): boolean =>
  scope.kind === 'full' || isChosen(scope, file.id) || chain.some(({ id }) => isChosen(scope, id));

const isChosen = (scope: Scope, id: string): boolean =>
  scope.kind === 'selected' && scope.chosen.some((one) => one.id === id);

/** Returns the path of a file below the target of a shortcut, which has the place of the shortcut. */
export function pathBelow(
  path: string,
  target: string,
  file: DriveFile,
  chain: readonly { readonly id: string; readonly name: string }[],
): string {
  const names = chain.slice(chain.findIndex(({ id }) => id === target) + 1).map(({ name }) => name);
  return [path, ...[...names, file.name].map(partOf)].join('/');
}
