import type { SourceItem } from '../../connector.ts';
import type { DriveApi } from './drive-api.ts';

/** What the API tells of a file. */
export interface DriveFile {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  /** One at most. Absent: it is a root, or what is above it is not shared. */
  readonly parents?: readonly string[];
  readonly driveId?: string;
  readonly trashed?: boolean;
  readonly size?: string;
  readonly md5Checksum?: string;
  readonly headRevisionId?: string;
  readonly createdTime?: string;
  readonly modifiedTime?: string;
  readonly webViewLink?: string;
  readonly owners?: readonly { readonly displayName?: string; readonly emailAddress?: string }[];
  readonly shortcutDetails?: { readonly targetId: string; readonly targetMimeType?: string };
}

const NAMES =
  'id,name,mimeType,parents,driveId,trashed,size,md5Checksum,headRevisionId,createdTime,modifiedTime,webViewLink';
export const FILE_FIELDS = `${NAMES},owners(displayName,emailAddress),shortcutDetails(targetId,targetMimeType)`;

export const FOLDER = 'application/vnd.google-apps.folder';
export const SHORTCUT = 'application/vnd.google-apps.shortcut';
const OF_GOOGLE = 'application/vnd.google-apps.';

/** How documents of Google's own editors are brought, and which type they get here. */
export const EXPORTS: Readonly<
  Record<string, { readonly type: string; readonly mimeType: string; readonly ending: string }>
> = {
  [`${OF_GOOGLE}document`]: { type: 'google_doc', mimeType: 'text/markdown', ending: '.md' },
  [`${OF_GOOGLE}spreadsheet`]: {
    ...{ type: 'google_sheet', ending: '.xlsx' },
    mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  },
  [`${OF_GOOGLE}presentation`]: {
    ...{ type: 'google_slide', ending: '.pptx' },
    mimeType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  },
};

/** Whether it has a content that can be read: forms, maps, sites and the like have none. */
export const hasContent = ({ mimeType }: DriveFile): boolean => !mimeType.startsWith(OF_GOOGLE) || mimeType in EXPORTS;

/**
 * A new revision of a file and another content are told by its hash; documents of Google's editors have none, and tell when
 * they were changed.
 */
export function itemOf(file: DriveFile, path: string): SourceItem {
  const exported = EXPORTS[file.mimeType];
  const [owner] = file.owners ?? [];
  return {
    ...{ id: file.id, path, title: file.name },
    version: file.md5Checksum ?? file.headRevisionId ?? file.modifiedTime ?? '',
    contentType: exported?.mimeType ?? file.mimeType,
    size: file.size === undefined || exported !== undefined ? null : Number(file.size),
    link: file.webViewLink ?? null,
    owner: owner?.emailAddress ?? owner?.displayName ?? null,
    createdAt: file.createdTime ?? null,
    updatedAt: file.modifiedTime ?? null,
  };
}

/** Names may hold a slash, which separates the parts of a path. */
export const partOf = (name: string): string => name.replaceAll('/', '／');

interface FileList {
  readonly files?: readonly DriveFile[];
  readonly nextPageToken?: string;
}

/** Of one user, with what was shared with it, or of one shared drive. */
export type Corpus = { readonly driveId: string | null };

/** Lists the files of a corpus for which a search holds, page by page. */
export async function* listFiles(api: DriveApi, { driveId }: Corpus, q: string, signal: AbortSignal) {
  let pageToken: string | undefined;
  do {
    const { files = [], nextPageToken } = await api.get<FileList>(
      '/files',
      {
        ...{ q, pageToken, pageSize: 1000, fields: `nextPageToken,files(${FILE_FIELDS})`, spaces: 'drive' },
        ...(driveId === null ? { corpora: 'user' } : { corpora: 'drive', driveId, includeItemsFromAllDrives: true }),
      },
      signal,
    );
    yield files;
    pageToken = nextPageToken;
  } while (pageToken !== undefined);
}

export const getFile = (api: DriveApi, id: string, signal: AbortSignal): Promise<DriveFile> =>
  api.get<DriveFile>(`/files/${encodeURIComponent(id)}`, { fields: FILE_FIELDS }, signal);

/** Of a text within a search. */
export const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
