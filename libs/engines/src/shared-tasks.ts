import { publishFeed } from '#event-feed';
import type { Clock } from '#kernel';
import type { Lease } from '#leases';
import type { Storage } from './storage/open-storage.ts';

/** What one process at a time does beside the pipeline, by the names of the leases. */
export function sharedTasks(
  { nats, store, settings }: Storage,
  clock: Clock,
  logger: { warn(message: string): void },
): Readonly<Record<string, (held: Lease) => Promise<void>>> {
  if (nats === null) return {};
  const feed = { connection: nats, store, clock, logger, prefix: settings.prefix };
  return { 'event-feed': ({ signal }) => publishFeed({ ...feed, signal }) };
}
