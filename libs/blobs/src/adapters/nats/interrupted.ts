import type { NatsRecord, RecordStream } from '#nats';
import { type BlobRecord, decodeBlob } from './blob-record.ts';
import { eraseBlob, eraseSubject } from './erase.ts';
import { type Folder, listFolders } from './folders.ts';
import { type Kind, nameIn } from './subjects.ts';

export interface InterruptedOptions {
  /** What was written later may belong to a call that still runs. Milliseconds since the Unix epoch. */
  readonly before: number;
  readonly signal: AbortSignal;
}

/**
 * Removes what interrupted puts, replacements and erasures have left: secrets and parts that no blob names, blobs that were
 * replaced or whose secret is erased, and markers of uploads.
 * @throws the first error, after the other folders were examined
 */
export async function removeInterrupted(records: RecordStream, { before, signal }: InterruptedOptions): Promise<void> {
  const suspects: string[] = [];
  for await (const folder of listFolders(records)) {
    if (!isSurelyWhole(folder)) suspects.push(folder.path);
    if (signal.aborted) return;
  }
  const errors: unknown[] = [];
  for (const path of suspects) {
    if (signal.aborted) return;
    await examine(records, path, before).catch((error) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}

/** Whether each blob is one record with one secret, as most are. */
function isSurelyWhole({ names: { b, k, c, u } }: Folder): boolean {
  if (u.size > 0 || c.size > 0 || b.size !== k.size) return false;
  return [...b].every(([name, count]) => count === 1 && k.get(name) === 1);
}

async function examine(records: RecordStream, path: string, before: number): Promise<void> {
  const subjects = await Array.fromAsync(records.subjects(`${records.name}.*.${path}.>`));
  const ofKind = (kind: Kind) => subjects.filter((subject) => subject.startsWith(`${records.name}.${kind}.`));
  const isLeft = ({ time }: NatsRecord) => time.getTime() <= before;
  const secrets = new Set<number>();
  const uploads = new Set<string>();
  for (const subject of ofKind('b')) {
    const all = await recordsOf(records, subject);
    for (const [i, record] of all.entries()) {
      const blob = decodeBlob(record.data);
      const next = all[i + 1];
      // A blob that was replaced is erased by the put that has replaced it.
      if (next === undefined ? isLeft(record) && !(await isReadable(records, blob)) : isLeft(next)) {
        await eraseBlob(records, record);
        continue;
      }
      if (blob.secret !== null) secrets.add(blob.secret);
      if ('parts' in blob) uploads.add(blob.parts.upload);
    }
  }
  for (const subject of ofKind('k')) {
    for (const secret of await recordsOf(records, subject)) {
      if (isLeft(secret) && !secrets.has(secret.seq)) await records.erase(secret.seq);
    }
  }
  const outdated = [...ofKind('c').filter((subject) => !uploads.has(nameIn(subject))), ...ofKind('u')];
  for (const subject of outdated) {
    const newest = await records.last(subject);
    if (newest !== null && isLeft(newest)) await eraseSubject(records, subject);
  }
}

/** Whether the erasure of the blob has not begun. */
const isReadable = async (records: RecordStream, { secret }: BlobRecord): Promise<boolean> =>
  secret === null || (await records.at(secret)) !== null;

async function recordsOf(records: RecordStream, subject: string): Promise<NatsRecord[]> {
  const all: NatsRecord[] = [];
  for (;;) {
    const record = await records.next(subject, all.at(-1)?.seq ?? 0);
    if (record === null) return all;
    all.push(record);
  }
}
