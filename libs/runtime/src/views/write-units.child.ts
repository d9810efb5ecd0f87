/** The child process that forms the units of very long texts, and writes them into the views or what a search scans into a file. */
import { writeFileSync } from 'node:fs';
import { DiskBlobStore } from '#blobs';
import { DocumentTexts, unitsOf } from '#documents';
import { documentHeader } from '#extraction';
import { serveJobs } from '#pool';
import { entriesOf, SqliteViewsWriter, type UnitSet } from '#views';
import { TABLES } from './target.ts';
import type { EntrySizes, UnitWritingTask } from './unit-writing.ts';

serveJobs(async ({ params, output }) => {
  const { views, blobs, row, document } = params as unknown as UnitWritingTask;
  const units = await unitsOf(document, new DocumentTexts(DiskBlobStore.attach(blobs)));
  const set: UnitSet = { units, header: documentHeader(document.unitsDate), vectors: null };
  if (views === null) return writeEntries(set, output);
  const writer = SqliteViewsWriter.attach({ path: views, tables: TABLES });
  try {
    await writer.writeAhead([{ kind: 'upsert', row, units: set }]);
  } finally {
    await writer.close();
  }
  return null;
});

function writeEntries(set: UnitSet, output: string): EntrySizes {
  const { chunk, memory } = entriesOf(set);
  writeFileSync(output, chunk ?? '');
  if (memory !== null) writeFileSync(output, memory, { flag: 'a' });
  return { chunk: chunk?.length ?? null, memory: memory?.length ?? null };
}
