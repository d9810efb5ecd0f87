import { StreamDeletedError } from '@eventstore/db-client';
import { LOG_FORMAT } from '../../log-format.ts';
import type { StreamKeys } from '../../stream-keys.ts';
import type { Connection } from './connection.ts';
import { EventStoreTooOldError, ForeignStreamKeysError, LogFormatError, StoreIdentityRemovedError } from './errors.ts';
import { changeMetadata, readMetadata } from './metadata.ts';
import { SoftDeletedError } from './removed-streams.ts';
import { newSealingKey } from './sealing.ts';
import { commitPosition } from './wire.ts';

/** The metadata of this stream names the log. */
const STORE_STREAM = 'mneme-store';
const STORE_ID = 'mneme-store';
const STORE_FORMAT = 'mneme-format';

/**
 * Returns the id of the log. The first client that opens the log creates the id, and a stream key under it, by which later
 * clients check that their keys belong to this log.
 * @throws ForeignStreamKeysError, EventStoreTooOldError, LogFormatError, StoreIdentityRemovedError
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
      requireFormat(value[STORE_FORMAT]);
      if (await keys.get(STORE_STREAM, id)) return id;
      throw new ForeignStreamKeysError(
        `The stream keys do not belong to this event store (${id}). Configure the keys that it was created with.`,
      );
    }
    await keys.create?.();
    const key = newSealingKey();
    await keys.put(STORE_STREAM, key.id, key.secret);
    await changeMetadata(connection, STORE_STREAM, { [STORE_ID]: key.id, [STORE_FORMAT]: LOG_FORMAT }, STORE_ID);
  }
}

/** @param found undefined: the log was written before formats had versions */
function requireFormat(found: unknown): void {
  if (found === LOG_FORMAT) return;
  throw new LogFormatError(
    `The log in EventStoreDB has format ${found ?? 1}, and this program reads ${LOG_FORMAT} only: run the version that wrote ` +
      'it, or begin with an empty database, NATS and data folder.',
  );
}
