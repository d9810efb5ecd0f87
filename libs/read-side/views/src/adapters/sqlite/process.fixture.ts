import type { Position } from '#ports/event-store';
import { newOrganization, row, unitSet, upsert } from '../../testing.ts';
import { SqliteViewsWriter } from './writer.ts';

/** A process that is killed by a test. Writes batch after batch; the checkpoint is the number of documents so far. */
const writer = SqliteViewsWriter.open({ path: process.argv[2] as string });
const organization = newOrganization();
process.stdout.write(`${organization}\n`);
for (let written = 0; ; ) {
  const batch = Array.from({ length: 7 }, (_, i) => upsert(row(organization), unitSet(`walrus ${written + i}`)));
  written += batch.length;
  await writer.apply(batch, String(written) as Position);
}
