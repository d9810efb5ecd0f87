import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { LogEntry } from './log-entry.ts';
import { followRequest, newestOfAllRequest } from './requests.ts';
import { pauseAfter } from './retries.ts';
import { commitPosition } from './wire.ts';

export interface LogFollower {
  /** Every entry after `head` will be reported, the server's own too. `head`: position of the newest one, or null. */
  onFollowing(head: number | null): void;
  /**
   * Must not throw.
   * @param secret of the key that the payload is sealed with, if it is known. Default: none
   */
  onEntry(entry: LogEntry, secret?: Uint8Array): void;
  /** Entries may be missed until the next `onFollowing`. */
  onLost(): void;
}

export interface LogClient extends LogFollower {
  /** Called before the log is followed, at the start and again. False: the log was replaced, and is not followed any more. */
  isSameLog(): Promise<boolean>;
}

/** Follows the end of the log, across outages of the server, until the connection is closed or the log was replaced. */
export async function follow(connection: Connection, follower: LogClient): Promise<void> {
  const { closing } = connection;
  for (let failures = 0; !closing.aborted; failures++) {
    try {
      if (!(await follower.isSameLog())) return;
      const newest = (await connection.read(newestOfAllRequest(null, 1)))?.[0];
      const head = newest ? commitPosition(newest) : null;
      await connection.subscribe(followRequest(head), {
        onConfirmed: () => {
          failures = 0;
          follower.onFollowing(head);
        },
        onEvent: (message) => follower.onEntry(LogEntry.of(message)),
      });
    } catch {
      // Every error leads to another attempt until the connection is closed.
    }
    follower.onLost();
    await pause(pauseAfter(failures), undefined, { signal: closing }).catch(() => {});
  }
}
