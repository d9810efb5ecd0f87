import type { SourceContent, SourceItem } from '../../connector.ts';
import { ItemUnreadableError } from '../../errors.ts';
import { type DriveApi, DriveRefusedError } from './drive-api.ts';
import { EXPORTS } from './files.ts';

const EXPORTED = new Map(Object.values(EXPORTS).map((one) => [one.mimeType, one]));

/** What Google says of a file that it does not give, in words for a person. */
const REASONS: Readonly<Record<string, string>> = {
  exportSizeLimitExceeded: 'it is larger than Google exports (10 MB)',
  cannotDownloadFile: 'its owner does not let it be downloaded',
  cannotExportFile: 'its owner does not let it be exported',
  cannotDownloadAbusiveFile: 'Google holds it to be harmful',
  fileNotDownloadable: 'Google does not export its kind',
  notFound: 'it is no longer there',
};

/** Brings the content of a file; a document of Google's editors in a form that can be read. */
export async function fetchContent<T>(
  api: DriveApi,
  item: SourceItem,
  use: (content: SourceContent) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const path = `/files/${encodeURIComponent(item.id)}`;
  // A file of the same kind that was uploaded has a size.
  const exported = item.size === null ? EXPORTED.get(item.contentType ?? '') : undefined;
  const query = exported === undefined ? { alt: 'media', supportsAllDrives: true } : { mimeType: exported.mimeType };
  const type = exported?.type ?? (item.contentType === 'application/pdf' ? 'pdf' : null);
  const name = exported === undefined ? item.title : item.title + exported.ending;
  let isBegun = false;
  const read = (body: AsyncIterable<Uint8Array>) => {
    isBegun = true;
    return use({ type, name, contentType: item.contentType, body });
  };
  try {
    return await api.content(exported === undefined ? path : `${path}/export`, query, read, signal);
  } catch (error) {
    if (isBegun || !(error instanceof DriveRefusedError)) throw error;
    throw new ItemUnreadableError(`It cannot be read: ${REASONS[error.reason] ?? error.message}.`, { cause: error });
  }
}
