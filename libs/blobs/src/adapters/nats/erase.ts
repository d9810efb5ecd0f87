import type { NatsRecord, RecordStream } from '#nats';
import { decodeBlob } from './blob-record.ts';

/** Concurrent reads, writes or erasures of parts. Limits the memory of one put or get. */
export const MAX_REQUESTS = 4;

/**
 * Erases a blob: its secret, then its record, so that no reader is led to erased parts, then its parts. A server that is
 * killed while it erases a record may leave its bytes in the file, and not know the record any more. So what was sealed is
 * erased only when the erasure of the secret was confirmed, or was repeated: one of both is certainly overwritten.
 */
export async function eraseBlob(records: RecordStream, record: NatsRecord): Promise<void> {
  const blob = decodeBlob(record.data);
  if (blob.secret !== null) await records.erase(blob.secret);
  await records.erase(record.seq);
  if (!('parts' in blob)) return;
  const { seqs } = blob.parts;
  for (let i = 0; i < seqs.length; i += MAX_REQUESTS) {
    await Promise.all(seqs.slice(i, i + MAX_REQUESTS).map((seq) => records.erase(seq)));
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
