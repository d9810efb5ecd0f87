import type { ListingPage, SourceItem } from '../../connector.ts';
import { isInScope, pathBelow } from './complete-listing.ts';
import { type Cursor, cursorOf, USER_LOG } from './cursor.ts';
import { type DriveApi, DriveRefusedError } from './drive-api.ts';
import { type DriveFile, FILE_FIELDS, FOLDER, hasContent, itemOf, SHORTCUT } from './files.ts';
import type { Scope } from './setup.ts';
import type { Tree } from './tree.ts';

interface Change {
  readonly changeType?: string;
  readonly removed?: boolean;
  readonly fileId?: string;
  readonly file?: DriveFile;
}

interface ChangeList {
  readonly changes?: readonly Change[];
  readonly nextPageToken?: string;
  readonly newStartPageToken?: string;
}

/** More changed files than this: everything is listed, which needs fewer requests. */
const MAX_CHANGES = 5_000;
const PAGE = 500;
const FIELDS = `nextPageToken,newStartPageToken,changes(changeType,removed,fileId,file(${FILE_FIELDS}))`;

/** Of a page token that has ended, or of a log that is not there any more. */
const ENDED: ReadonlySet<number> = new Set([400, 403, 404, 410]);

export interface ChangedFiles {
  /** The last state of each; null: it is gone. */
  readonly files: ReadonlyMap<string, DriveFile | null>;
  readonly logs: Cursor['logs'];
}

/**
 * Reads the logs of changes since a cursor.
 * @returns null if everything has to be listed: a page token has ended; something vanished of which only the id is known; or a
 *   folder, a shared drive or a shortcut has changed, since those tell nothing of what is below them
 */
export async function readChanges(api: DriveApi, cursor: Cursor, signal: AbortSignal): Promise<ChangedFiles | null> {
  const files = new Map<string, DriveFile | null>();
  const logs: Record<string, string> = {};
  for (const [log, start] of Object.entries(cursor.logs)) {
    for (let token: string | null = start; token !== null; ) {
      const page = await readPage(api, log, token, signal);
      if (page === null) return null;
      for (const { changeType = 'file', removed = false, fileId, file } of page.changes ?? []) {
        if (changeType !== 'file' || fileId === undefined || removed || file === undefined) return null;
        if (file.mimeType === FOLDER || file.mimeType === SHORTCUT) return null;
        files.set(fileId, file.trashed === true ? null : file);
      }
      if (files.size > MAX_CHANGES) return null;
      if (page.newStartPageToken !== undefined) logs[log] = page.newStartPageToken;
      token = page.nextPageToken ?? null;
    }
  }
  return { files, logs };
}

async function readPage(
  api: DriveApi,
  log: string,
  pageToken: string,
  signal: AbortSignal,
): Promise<ChangeList | null> {
  const drive = log === USER_LOG ? {} : { driveId: log };
  const query = { pageToken, pageSize: 1000, fields: FIELDS, includeItemsFromAllDrives: true, ...drive };
  try {
    return await api.get<ChangeList>('/changes', query, signal);
  } catch (error) {
    if (error instanceof DriveRefusedError && ENDED.has(error.status)) return null;
    throw error;
  }
}

/** Lists what has changed: what belongs to the scope now, and what does not. */
export async function* listChanged(
  { files, logs }: ChangedFiles,
  { scope, targets, tree }: { scope: Scope; targets: Readonly<Record<string, string>>; tree: Tree },
): AsyncGenerator<ListingPage> {
  let [items, removed]: [SourceItem[], string[]] = [[], []];
  for (const [id, file] of files) {
    const path = file === null || !hasContent(file) ? null : await placeOf(file);
    if (file === null || path === null) removed.push(id);
    else items.push(itemOf(file, path));
    if (items.length + removed.length >= PAGE) {
      yield { items, removed, ends: null };
      [items, removed] = [[], []];
    }
  }
  yield {
    items,
    removed,
    ends: { listing: 'changes', cursor: cursorOf(scope, logs, new Map(Object.entries(targets))) },
  };

  /** Null: it is not of the scope. */
  async function placeOf(file: DriveFile): Promise<string | null> {
    const chain = await tree.chainOf(file);
    if (isInScope(scope, file, chain)) return tree.pathOf(file, chain);
    const place = targets[file.id];
    if (place !== undefined) return place;
    const target = chain.findLast(({ id }) => targets[id] !== undefined);
    return target === undefined ? null : pathBelow(targets[target.id] as string, target.id, file, chain);
  }
}
