import type { MessagePort } from 'node:worker_threads';
import type { StreamKeys } from '../../stream-keys.ts';

export interface EventStoreDbOptions {
  /** `esdb://…` or `esdb+discover://…`, with user and password if the server has any. */
  readonly url: string;
  /** The keys of this database. Without them its payloads are unreadable. */
  readonly keys: StreamKeys;
  /**
   * How long appends and reads are retried while the server does not answer, from the beginning of the call or of the outage,
   * if that is earlier. Milliseconds. Default: 12,000.
   */
  readonly patience?: number;
  /** Memory for the newest events, which subscriptions are served from. Bytes. Default: 8 MiB. */
  readonly liveBytes?: number;
  /**
   * From `newFeedPort` of a client of the same database in another thread of this process, whose subscription this one shares.
   * Default: a subscription of its own.
   */
  readonly feed?: MessagePort;
  /** Aborts opening. */
  readonly signal?: AbortSignal;
}
