/** The child process that forms the units of very long texts, and writes them into the views, or what a search scans into a file. */
import { DiskBlobStore } from '#blobs';
import { DocumentTexts, unitsOf } from '#documents';
import { documentHeader } from '#extraction';
import { serveJobs } from '#pool';
import { SqliteViewsWriter, type UnitSet, writeEntryFile } from '#views';
import { TABLES } from './target.ts';
import type { UnitWritingTask } from './unit-writing.ts';

serveJobs(async ({ params, output }) => {
  const { target, blobs, row, document } = params as unknown as UnitWritingTask;
  const units = await unitsOf(document, new DocumentTexts(DiskBlobStore.attach(blobs)));
  const { language } = document;
  const set: UnitSet = { units, header: documentHeader(document.unitsDate), vectors: null, language };
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
