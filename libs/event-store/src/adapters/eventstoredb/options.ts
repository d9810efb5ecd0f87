import type { StreamKeys } from '../../stream-keys.ts';

export interface EventStoreDbOptions {
  /** `esdb://…` or `esdb+discover://…`, with the user and password if the server has any. */
  readonly url: string;
  /** The keys that belong to this database; they are needed as long as it is. */
  readonly keys: StreamKeys;
  /** Milliseconds for which appends and reads are tried again while the server does not answer; 10,000 unless told. */
  readonly patience?: number;
  /** Gives up opening. */
  readonly signal?: AbortSignal;
}
