import type { LiveHead } from '../../live-head.ts';
import type { Connection } from './connection.ts';
import type { RecordedIds } from './recorded-ids.ts';
import type { StreamKeyCache } from './stream-key-cache.ts';

/** What the parts of one client share. */
export interface ClientState {
  readonly connection: Connection;
  readonly keys: StreamKeyCache;
  readonly ids: RecordedIds;
  readonly live: LiveHead;
}
