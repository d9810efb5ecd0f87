import type { LiveHead } from '../../live-head.ts';
import type { Connection } from './connection.ts';
import type { LiveLog } from './live-log.ts';
import type { NewestEvent } from './newest-event.ts';
import type { RecordedIds } from './recorded-ids.ts';
import type { StreamKeyCache } from './stream-key-cache.ts';

/** What the parts of one client share. */
export interface ClientState {
  readonly connection: Connection;
  readonly keys: StreamKeyCache;
  readonly ids: RecordedIds;
  /** Of all events, the server's own too. */
  readonly head: LiveHead;
  readonly live: LiveLog;
  readonly newest: NewestEvent;
}
