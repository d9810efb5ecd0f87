import { StreamDeletedError } from '@eventstore/db-client';
import type { StreamKeys } from '../../stream-keys.ts';
import type { Connection } from './connection.ts';
import { EventStoreTooOldError, ForeignStreamKeysError, StoreIdentityRemovedError } from './errors.ts';
import { changeMetadata, readMetadata } from './metadata.ts';
import { SoftDeletedError } from './removed-streams.ts';
import { newSealingKey } from './sealing.ts';
import { commitPosition } from './wire.ts';

/** The metadata of this stream names the log. */
const STORE_STREAM = 'mneme-store';
const STORE_ID = 'mneme-store';

/**
 * Returns the id of the log. The first client that opens the log creates the id, and a stream key under it, by which later
 * clients check that their keys belong to this log.
 * @throws ForeignStreamKeysError, EventStoreTooOldError, StoreIdentityRemovedError
 */
export async function identifyStore(connection: Connection, keys: StreamKeys): Promise<string> {
  try {
    return await storeIdOf(connection, keys);
  } catch (error) {
    if (!(error instanceof StreamDeletedError || error instanceof SoftDeletedError)) throw error;
    throw new StoreIdentityRemovedError(
      `The stream ${STORE_STREAM}, which names this log, was deleted in EventStoreDB with its own tools. Restore the ` +
        'database from a backup.',
      { cause: error },
    );
  }
}

async function storeIdOf(connection: Connection, keys: StreamKeys): Promise<string> {
  for (;;) {
    const { value, event } = await connection.retry(() => readMetadata(connection, STORE_STREAM));
    const id = value[STORE_ID];
    if (typeof id === 'string' && event) {
      if (!Number.isSafeInteger(commitPosition(event))) {
        throw new EventStoreTooOldError(
          'EventStoreDB does not return the positions of events when it reads a stream. Use a newer version.',
        );
      }
      if (await keys.get(STORE_STREAM, id)) return id;
      throw new ForeignStreamKeysError(
        `The stream keys do not belong to this event store (${id}). Configure the keys that it was created with.`,
      );
    }
    await keys.create?.();
    const key = newSealingKey();
    await keys.put(STORE_STREAM, key.id, key.secret);
    await changeMetadata(connection, STORE_STREAM, { [STORE_ID]: key.id }, STORE_ID);
  }
}
