import { join } from 'node:path';

/** Paths in the data folder. */
export interface DataFiles {
  /** The event log: the source of everything else. */
  readonly events: string;
  /** Rebuilt from the log if it is deleted. */
  readonly views: string;
  readonly vectors: string;
  readonly blobs: string;
  /** Keys that the payloads of a distributed log are sealed with, if they are not on NATS. */
  readonly streamKeys: string;
  readonly uploads: string;
  /** Temporary files of jobs. */
  readonly scratch: string;
  readonly ownerKey: string;
  /** When keys were last used. */
  readonly keyUses: string;
  /** Figures of requests. */
  readonly analytics: string;
  /** What was used of quotas. */
  readonly quotas: string;
  /** Sealed secrets; made with the first one. */
  readonly secrets: string;
  /** What they are sealed with, unless the settings name other keys; made when a key is needed. */
  readonly masterKey: string;
  /** Exists while a backup is being restored. */
  readonly restoring: string;
}

export function dataFiles(folder: string): DataFiles {
  return {
    events: join(folder, 'events.db'),
    views: join(folder, 'views.db'),
    vectors: join(folder, 'vectors.db'),
    blobs: join(folder, 'blobs'),
    streamKeys: join(folder, 'stream-keys.db'),
    uploads: join(folder, 'uploads'),
    scratch: join(folder, 'scratch'),
    ownerKey: join(folder, 'owner.key'),
    keyUses: join(folder, 'key-uses.json'),
    analytics: join(folder, 'analytics.db'),
    quotas: join(folder, 'quotas.json'),
    secrets: join(folder, 'secrets.db'),
    masterKey: join(folder, 'master.key'),
    restoring: join(folder, 'restoring'),
  };
}
