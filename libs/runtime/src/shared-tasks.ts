import { publishFeed } from '#event-feed';
import type { Clock } from '#kernel';
import type { Lease } from '#leases';
import { DEFAULT_GROUP, keepToSelectedSpace } from '#vector-spaces';
import type { Parts } from './parts.ts';

export interface SharedTasksLogger {
  info(message: string): void;
  warn(message: string): void;
}

/** Tasks beside the pipeline that one process at a time may do, by the names of their leases. */
export function sharedTasks(
  parts: Parts,
  clock: Clock,
  logger: SharedTasksLogger,
): Readonly<Record<string, (held: Lease) => Promise<void>>> {
  const { nats, store, settings } = parts.storage;
  const spaces = {
    'vector-space': ({ signal }: Lease) => keepToSelectedSpace(parts, DEFAULT_GROUP, { logger, signal }),
  };
  if (nats === null) return spaces;
  const feed = { connection: nats, store, clock, logger, prefix: settings.prefix };
  return { ...spaces, 'event-feed': ({ signal }) => publishFeed({ ...feed, signal }) };
}
