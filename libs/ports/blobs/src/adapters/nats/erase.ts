import type { NatsRecord, RecordStream } from '#platform/nats';
import { decodeBlob } from './blob-record.ts';
import type { Kind } from './subjects.ts';

/** Concurrent reads, writes or erasures of parts. Limits the memory of one put or get. */
export const MAX_REQUESTS = 4;

/**
 * Erases a blob: its secret, so that nothing of it can be read any more, then its parts, then the record that names them, so
 * that a repetition finds what an interrupted erasure has left. A server that is killed while it erases a record may leave
 * its bytes in the file, and not know the record any more. So what was sealed is erased only when the erasure of the secret
 * was confirmed, or was repeated: one of both is certainly overwritten.
 */
export async function eraseBlob(records: RecordStream, record: NatsRecord): Promise<void> {
  const blob = decodeBlob(record.data);
  await records.erase(blob.secret);
  const seqs = 'parts' in blob ? blob.parts.seqs : [];
  for (let i = 0; i < seqs.length; i += MAX_REQUESTS) {
    await Promise.all(seqs.slice(i, i + MAX_REQUESTS).map((seq) => records.erase(seq)));
  }
  await records.erase(record.seq);
}

/**
 * Erases a blob that was replaced. If the newest record is a copy of its record, only its record is erased: both name the
 * same secret and parts.
 * @param newest newest record of the subject
 */
export async function eraseReplaced(records: RecordStream, record: NatsRecord, newest: NatsRecord): Promise<void> {
  const isCopied = Buffer.compare(record.data, newest.data) === 0;
  await (isCopied ? records.erase(record.seq) : eraseBlob(records, record));
}

/** Erases the blobs of a subject. @param before only records before this sequence. Default: all */
export async function eraseBlobs(
  records: RecordStream,
  subject: string,
  before = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (;;) {
    const record = await records.next(subject, 0);
    if (record === null || record.seq >= before) return;
    await eraseBlob(records, record);
  }
}

/** Returns all records of a subject, oldest first. */
export async function recordsOf(records: RecordStream, subject: string): Promise<NatsRecord[]> {
  const all: NatsRecord[] = [];
  for (;;) {
    const record = await records.next(subject, all.at(-1)?.seq ?? 0);
    if (record === null) return all;
    all.push(record);
  }
}

/** Erases every record of a subject. */
export async function eraseSubject(records: RecordStream, subject: string): Promise<void> {
  for (;;) {
    const record = await records.next(subject, 0);
    if (record === null) return;
    await records.erase(record.seq);
  }
}

/**
 * Erases all that is stored of a document or an organization, also what interrupted puts and erasures have left. An upload
 * that runs finds its marker gone and removes what it has stored.
 * @param path `<organization>.<document>` or `<organization>`, as tokens
 */
export async function eraseFolder(records: RecordStream, path: string): Promise<void> {
  for (;;) {
    // All are listed before the first is removed: the pages of a listing shift while its subjects are removed.
    const subjects = await Array.fromAsync(records.subjects(`${records.name}.*.${path}.>`));
    const ofKind = (kind: Kind) => subjects.filter((subject) => subject.startsWith(`${records.name}.${kind}.`));
    for (const marker of ofKind('u')) await eraseSubject(records, marker);
    const blobs = ofKind('b');
    for (const blob of blobs) await eraseBlobs(records, blob);
    if (blobs.length > 0) continue;
    // No blob names these.
    for (const left of [...ofKind('k'), ...ofKind('c')]) await eraseSubject(records, left);
    return;
  }
}
