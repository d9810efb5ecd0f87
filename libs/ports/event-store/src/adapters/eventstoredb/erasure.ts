import { StreamDeletedError } from '@eventstore/db-client';
import type { Connection } from './connection.ts';
import type { LogEntry } from './log-entry.ts';
import { changeMetadata, isSoftDeleted, metadataIn, readMetadata } from './metadata.ts';
import type { StreamKeyCache } from './stream-key-cache.ts';

/** In the metadata of a stream: its keys are destroyed, or will be next. */
const ERASED = 'mneme-erased';

/** Whether the stream is erased, or was removed with the tools of the database. */
export async function isMarkedErased(connection: Connection, stream: string): Promise<boolean> {
  try {
    const { value } = await readMetadata(connection, stream);
    return value[ERASED] === true || isSoftDeleted(value);
  } catch (error) {
    if (error instanceof StreamDeletedError) return true;
    throw error;
  }
}

/** Whether the metadata in this entry marks its stream as erased. */
export function marksErasure({ bytes }: LogEntry): boolean {
  return metadataIn(bytes)[ERASED] === true;
}

/** Marks the stream first, so that every client drops its keys, then destroys them. */
export async function eraseStream(connection: Connection, keys: StreamKeyCache, stream: string): Promise<void> {
  await changeMetadata(connection, stream, { [ERASED]: true }, ERASED);
  await connection.retry(() => keys.destroy(stream));
}
