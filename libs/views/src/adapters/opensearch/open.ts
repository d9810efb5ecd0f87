import type { OpenSearchReaderOptions, OpenSearchViewsReader } from './reader.ts';
import type { OpenSearchViewsWriter, OpenSearchWriterOptions } from './writer.ts';

export type { OpenSearchReaderOptions, OpenSearchWriterOptions };
export type OpenSearchWriter = OpenSearchViewsWriter;
export type OpenSearchReader = OpenSearchViewsReader;

/** The client is loaded by those processes alone that use it. */

/** @throws as `OpenSearchViewsWriter.open` */
export async function openOpenSearchWriter(options: OpenSearchWriterOptions): Promise<OpenSearchWriter> {
  const { OpenSearchViewsWriter } = await import('./writer.ts');
  return OpenSearchViewsWriter.open(options);
}

/** @throws as `OpenSearchViewsReader.open` */
export async function openOpenSearchReader(options: OpenSearchReaderOptions): Promise<OpenSearchReader> {
  const { OpenSearchViewsReader } = await import('./reader.ts');
  return OpenSearchViewsReader.open(options);
}

/** Deletes the views of a prefix; the writer that is opened next makes them anew, and the log is replayed. */
export async function removeOpenSearchViews({ url, prefix }: OpenSearchReaderOptions): Promise<void> {
  const [{ Connection }, { removeIndices }] = await Promise.all([import('./connection.ts'), import('./indices.ts')]);
  const connection = new Connection(url);
  try {
    await removeIndices(connection, prefix);
  } finally {
    await connection.close();
  }
}
