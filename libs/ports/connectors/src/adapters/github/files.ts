import type { SourceItem } from '../../connector.ts';
import { ItemUnreadableError } from '../../errors.ts';
import type { GitHubApi } from './api.ts';

/** By their names what nobody reads: images, archives, fonts, programs, and locks of package managers. */
const NO_DOCUMENT =
  /\.(?:png|jpe?g|gif|webp|bmp|ico|icns|tiff?|avif|heic|psd|svg|mp[34]|m4[av]|wav|ogg|flac|mov|avi|mkv|webm|zip|t?gz|bz2|xz|zst|7z|rar|jar|war|whl|exe|dll|so|dylib|a|o|obj|class|pyc|wasm|bin|dat|db|sqlite3?|iso|dmg|woff2?|ttf|otf|eot|map|lock|min\.js|min\.css|snap)$|(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum)$/i;
/** Folders of what others wrote, or programs made. */
const NOT_OWN = /(?:^|\/)(?:node_modules|bower_components|vendor|\.git|dist|__pycache__)\//i;
const REGULAR: ReadonlySet<string> = new Set(['100644', '100755']);

export interface Repository {
  readonly id: number;
  readonly full_name: string;
  readonly html_url: string;
  readonly default_branch: string;
  readonly owner: { readonly login: string };
}

interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  readonly type: string;
  readonly sha: string;
  readonly size?: number;
}

interface Tree {
  readonly tree: readonly TreeEntry[];
  readonly truncated: boolean;
}

/** A branch of a repository. */
export interface Branch {
  readonly repository: Repository;
  readonly name: string;
  /** It was named, and is not just the default one. */
  readonly isNamed: boolean;
}

/** Files by their paths: hash and size. */
export type Files = ReadonlyMap<string, { readonly sha: string; readonly size: number | null }>;

/**
 * Reads the files of a tree that are documents.
 * @param sha of the tree
 * @returns null: there is no such tree any more
 */
export async function readFiles(api: GitHubApi, name: string, sha: string, signal: AbortSignal): Promise<Files | null> {
  const files = new Map<string, { sha: string; size: number | null }>();
  const take = (folder: string, entries: readonly TreeEntry[]) => {
    for (const { type, mode, path, sha: blob, size = null } of entries) {
      const whole = folder + path;
      if (type !== 'blob' || !REGULAR.has(mode) || NO_DOCUMENT.test(whole) || NOT_OWN.test(whole)) continue;
      files.set(whole, { sha: blob, size });
    }
  };
  const at = (tree: string) => `/repos/${name}/git/trees/${tree}`;
  try {
    const { tree, truncated } = await api.read<Tree>(`${at(sha)}?recursive=1`, signal);
    if (!truncated) {
      take('', tree);
      return files;
    }
    // Too large for one answer: folder by folder.
    const folders = [{ folder: '', sha }];
    for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
      const { folder } = next;
      const { tree: entries } = await api.read<Tree>(at(next.sha), signal);
      take(folder, entries);
      for (const { type, path, sha: below } of entries) {
        const whole = `${folder}${path}/`;
        if (type === 'tree' && !NOT_OWN.test(whole)) folders.push({ folder: whole, sha: below });
      }
    }
    return files;
  } catch (error) {
    if (error instanceof ItemUnreadableError) return null;
    throw error;
  }
}

/** A renamed repository keeps its files; a file that is renamed is another one. */
export const fileId = ({ repository, name, isNamed }: Branch, path: string): string =>
  `file/${repository.id}/${isNamed ? encodeURIComponent(name) : ''}/${path}`;

export function fileItem(
  branch: Branch,
  path: string,
  { sha, size }: { sha: string; size: number | null },
): SourceItem {
  const { repository, name, isNamed } = branch;
  const encoded = [...name.split('/'), ...path.split('/')].map(encodeURIComponent).join('/');
  return {
    ...{ id: fileId(branch, path), version: sha, size, contentType: null },
    path: `/${repository.full_name}${isNamed ? `@${name}` : ''}/${path}`,
    title: path.split('/').at(-1) ?? path,
    link: `${repository.html_url}/blob/${encoded}`,
    ...{ owner: repository.owner.login, createdAt: null, updatedAt: null },
  };
}
