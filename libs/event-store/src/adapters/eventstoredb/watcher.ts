import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, pauseAfter } from './connection.ts';
import { followRequest, lastOfAllRequest, type RecordedMessage } from './requests.ts';
import { EVENTS_AND_METADATA, EVERY_EVENT, placeOf } from './wire.ts';

export interface Watch {
  /** Nothing that is appended from now on goes unnoticed. `head`: place of the newest event, or null. */
  onFollowing(head: number | null): void;
  /** May not throw. */
  onEvent(event: RecordedMessage): void;
  /** From now on something may go unnoticed, until it follows again. */
  onLost(): void;
}

/** Follows the end of the log, across outages of the server, until the connection is closed. */
export async function follow(connection: Connection, watch: Watch): Promise<void> {
  const { closing } = connection;
  for (let failures = 0; !closing.aborted; failures++) {
    try {
      const newest = (await connection.read(lastOfAllRequest(EVERY_EVENT)))?.[0];
      const head = newest ? placeOf(newest) : null;
      await connection.follow(followRequest(head, EVENTS_AND_METADATA), {
        onConfirmed: () => {
          failures = 0;
          watch.onFollowing(head);
        },
        onEvent: watch.onEvent,
      });
    } catch {
      // Whatever it was: the server is asked again until the connection is closed.
    }
    watch.onLost();
    await pause(pauseAfter(failures), undefined, { signal: closing }).catch(() => {});
  }
}
