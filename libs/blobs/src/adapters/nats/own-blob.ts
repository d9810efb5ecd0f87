import type { NatsRecord, RecordStream } from '#nats';
import { decodeBlob } from './blob-record.ts';
import { eraseBlob } from './erase.ts';

/**
 * Whether the garbage collection has removed the secret of a put before its blob was stored, so that nobody can read it.
 * @param secret sequence of the secret. A blob of the subject that names another one is of another put.
 */
export async function isSwept(records: RecordStream, subject: string, secret: number): Promise<boolean> {
  return (await records.at(secret)) === null && (await ownRecord(records, subject, secret)) !== null;
}

/** Erases the blob of a put, or only its secret if there is another blob now, or none. */
export async function eraseOwn(records: RecordStream, subject: string, secret: number): Promise<void> {
  const record = await ownRecord(records, subject, secret);
  if (record !== null) await eraseBlob(records, record);
  else await records.erase(secret);
}

async function ownRecord(records: RecordStream, subject: string, secret: number): Promise<NatsRecord | null> {
  const record = await records.last(subject);
  return record !== null && decodeBlob(record.data).secret === secret ? record : null;
}
