import { setTimeout as pause } from 'node:timers/promises';
import { isTransient } from '#platform/kernel';
import type { NatsRecord, RecordStream } from '#platform/nats';
import { type BlobRecord, decodeBlob } from './blob-record.ts';
import { eraseBlob, eraseReplaced, eraseSubject, recordsOf } from './erase.ts';
import { type Folder, listFolders } from './folders.ts';
import { type Kind, nameIn } from './subjects.ts';

export interface InterruptedOptions {
  /** What was written later may belong to a call that still runs. Milliseconds since the Unix epoch. */
  readonly before: number;
  readonly signal: AbortSignal;
}

/** Rests after a folder as long as it took, so that the stream serves others at least half of the time. Milliseconds. */
const LONGEST_REST_MS = 100;
/** After so many folders in a row for which NATS gave no answer, the rest is left to the next call. */
export const MOST_UNANSWERED = 10;

/**
 * Removes what interrupted puts, replacements and erasures have left: secrets and parts that no blob names, blobs that were
 * replaced or whose secret is erased, and markers of uploads. Reads only the folders that do not look whole.
 * @throws the first error, after the other folders were examined or NATS has not answered for many of them
 */
export async function removeInterrupted(records: RecordStream, { before, signal }: InterruptedOptions): Promise<void> {
  const suspects: string[] = [];
  for await (const folder of listFolders(records)) {
    if (!looksWhole(folder)) suspects.push(folder.path);
    if (signal.aborted) return;
  }
  let failed: { readonly error: unknown } | null = null;
  let unanswered = 0;
  for (const path of suspects) {
    if (signal.aborted) return;
    const begun = performance.now();
    try {
      await examine(records, path, before);
      unanswered = 0;
    } catch (error) {
      failed ??= { error };
      unanswered = isTransient(error) ? unanswered + 1 : 0;
      if (unanswered === MOST_UNANSWERED) break;
    }
    const rest = Math.min(performance.now() - begun, LONGEST_REST_MS);
    await pause(rest, undefined, { signal, ref: false }).catch(() => undefined);
  }
  if (failed !== null) throw failed.error;
}

/**
 * Whether each blob is one record with one secret, and no upload runs or was interrupted. The parts of a blob go before its
 * record, and those of an upload before its marker.
 */
const looksWhole = ({ names: { b, k, c, u } }: Folder): boolean =>
  k.size === b.size &&
  [...b, ...k].every(([name, count]) => count === 1 && b.has(name)) &&
  c.size <= b.size &&
  u.size === 0;

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
      if (next !== undefined && isLeft(next)) {
        await eraseReplaced(records, record, all.at(-1) ?? next);
        continue;
      }
      if (next === undefined && isLeft(record) && !(await isReadable(records, blob))) {
        await eraseBlob(records, record);
        continue;
      }
      secrets.add(blob.secret);
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
  (await records.at(secret)) !== null;
