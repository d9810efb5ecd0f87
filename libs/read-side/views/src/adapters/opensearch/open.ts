import type { ViewsInspection } from './admin/inspect.ts';
import type { MergeOptions } from './admin/merge.ts';
import type { Replacement } from './admin/replace.ts';
import type { Connection } from './connection.ts';
import type { ViewsState } from './read/progress.ts';
import type { OpenSearchReaderOptions, OpenSearchViewsReader } from './read/reader.ts';
import type { UnitFile } from './write/file-units.ts';
import type { OpenSearchViewsWriter, OpenSearchWriterOptions } from './write/writer.ts';

export { writeUnitFile } from './write/unit-file.ts';
export type { OpenSearchReaderOptions, OpenSearchWriterOptions, UnitFile, ViewsState };
export type OpenSearchWriter = OpenSearchViewsWriter;
export type OpenSearchReader = OpenSearchViewsReader;

/**
 * Opens the write side. Loads the client, which only processes with OpenSearch need. @throws as
 * `OpenSearchViewsWriter.open`
 */
export async function openOpenSearchWriter(options: OpenSearchWriterOptions): Promise<OpenSearchWriter> {
  const { OpenSearchViewsWriter } = await import('./write/writer.ts');
  return OpenSearchViewsWriter.open(options);
}

/** Opens the read side. @throws as `OpenSearchViewsReader.open` */
export async function openOpenSearchReader(options: OpenSearchReaderOptions): Promise<OpenSearchReader> {
  const { OpenSearchViewsReader } = await import('./read/reader.ts');
  return OpenSearchViewsReader.open(options);
}

/** Deletes the views of a prefix; the next writer creates them again, and the log is replayed. */
export async function removeOpenSearchViews({ url, prefix }: OpenSearchReaderOptions): Promise<void> {
  const { removeIndices } = await import('./admin/remove.ts');
  await connected(url, (connection) => removeIndices(connection, prefix));
}

/**
 * Returns the prefix under which a rebuild writes.
 * @param id 22 lower-case letters and digits
 */
export const rebuildPrefix = (prefix: string, id: string): string => `${prefix}-rebuild-${id}`;

/**
 * Deletes the indices of rebuilds that were killed. Only while none is running.
 * @throws ViewsUnreachableError
 */
export async function removeLeftRebuilds({ url, prefix }: OpenSearchReaderOptions): Promise<void> {
  const { removeRebuilds } = await import('./admin/rebuilds.ts');
  await connected(url, (connection) => removeRebuilds(connection, prefix));
}

/** Replaces the views of a prefix by those of another one. @returns, @throws as `replaceViews` */
export async function replaceOpenSearchViews(
  options: Replacement & Pick<OpenSearchReaderOptions, 'url'>,
): Promise<boolean> {
  const { replaceViews } = await import('./admin/replace.ts');
  return connected(options.url, (connection) => replaceViews(connection, options));
}

/** Deletes the views of a prefix that were replaced, after two seconds. @throws ViewsUnreachableError */
export async function removeReplacedViews({ url, prefix }: OpenSearchReaderOptions): Promise<void> {
  const { removeReplaced } = await import('./admin/replace.ts');
  await connected(url, (connection) => removeReplaced(connection, prefix));
}

/** Removes deleted rows from the files of the views. @returns, @throws as `removeDeletedRows` */
export async function purgeOpenSearchViews({
  url,
  prefix,
  ...options
}: Pick<OpenSearchReaderOptions, 'url' | 'prefix'> & MergeOptions): Promise<boolean> {
  const [{ removeDeletedRows }, { Aliases }] = await Promise.all([import('./admin/merge.ts'), import('./aliases.ts')]);
  return connected(url, (connection) => removeDeletedRows(connection, new Aliases(prefix), options));
}

/** Returns facts about the server and the views. @throws ViewsUnreachableError */
export async function inspectOpenSearchViews({ url, prefix }: OpenSearchReaderOptions): Promise<ViewsInspection> {
  const { inspect } = await import('./admin/inspect.ts');
  return connected(url, (connection) => inspect(connection, prefix));
}

async function connected<T>(url: string, use: (connection: Connection) => Promise<T>): Promise<T> {
  const { Connection } = await import('./connection.ts');
  const connection = new Connection(url);
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}
