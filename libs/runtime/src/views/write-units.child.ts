/** The child process that writes the units of very long texts into the views. */
import { DiskBlobStore } from '#blobs';
import { DocumentTexts, unitsOf } from '#documents';
import { documentHeader } from '#extraction';
import { serveJobs } from '#pool';
import { SqliteViewsWriter } from '#views';
import { TABLES } from './target.ts';
import type { UnitWritingTask } from './unit-writing.ts';

serveJobs(async ({ params }) => {
  const { views, blobs, row, document } = params as unknown as UnitWritingTask;
  const units = await unitsOf(document, new DocumentTexts(DiskBlobStore.attach(blobs)));
  const header = documentHeader(document.unitsDate);
  const writer = SqliteViewsWriter.attach({ path: views, tables: TABLES });
  try {
    await writer.writeAhead([{ kind: 'upsert', row, units: { units, header, vectors: null } }]);
  } finally {
    await writer.close();
  }
  return null;
});
