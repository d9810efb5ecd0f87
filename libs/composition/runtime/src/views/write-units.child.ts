/**
 * The child process that forms the units of long texts, and writes them into the views; or what a search scans, or the rows for
 * OpenSearch, into a file.
 */

import { DocumentTexts, unitsOf } from '#features/documents';
import { serveJobs } from '#platform/child-jobs';
import { DiskBlobStore } from '#ports/blobs';
import { documentHeader } from '#processing/extraction';
import { SqliteViewsWriter, type UnitSet, writeEntryFile, writeUnitFile } from '#read-side/views';
import { TABLES } from './target.ts';
import type { UnitWritingTask } from './unit-jobs.ts';

serveJobs(async ({ params, output }) => {
  const { target, blobs, row, document } = params as unknown as UnitWritingTask;
  const units = await unitsOf(document, new DocumentTexts(DiskBlobStore.attach(blobs)));
  const { language } = document;
  const set: UnitSet = { units, header: documentHeader(document.unitsDate), vectors: null, language };
  if ('rows' in target) return { ...(await writeUnitFile(output, row, set)) };
  if ('entriesOf' in target) {
    writeEntryFile(output, target.entriesOf, set);
    return null;
  }
  const writer = SqliteViewsWriter.attach({ path: target.views, tables: TABLES });
  try {
    await writer.writeAhead([{ kind: 'upsert', row, units: set }]);
  } finally {
    await writer.close();
  }
  return null;
});
