import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { followRequest, lastOfAllRequest, type RecordedMessage } from './requests.ts';
import { pauseAfter } from './retries.ts';
import { commitPosition, EVENTS_AND_METADATA, EVERY_EVENT } from './wire.ts';

export interface LogFollower {
  /** Every event after `head` will be reported. `head`: position of the newest event, or null. */
  onFollowing(head: number | null): void;
  /** Must not throw. */
  onEvent(event: RecordedMessage): void;
  /** Events may be missed until the next `onFollowing`. */
  onLost(): void;
}

/** Follows the end of the log, across outages of the server, until the connection is closed. */
export async function follow(connection: Connection, follower: LogFollower): Promise<void> {
  const { closing } = connection;
  for (let failures = 0; !closing.aborted; failures++) {
    try {
      const newest = (await connection.read(lastOfAllRequest(EVERY_EVENT)))?.[0];
      const head = newest ? commitPosition(newest) : null;
      await connection.subscribe(followRequest(head, EVENTS_AND_METADATA), {
        onConfirmed: () => {
          failures = 0;
          follower.onFollowing(head);
        },
        onEvent: follower.onEvent,
      });
    } catch {
      // Every error leads to another attempt until the connection is closed.
    }
    follower.onLost();
    await pause(pauseAfter(failures), undefined, { signal: closing }).catch(() => {});
  }
}
