import { runMerges } from '#features/container-tags/merging';
import { recordRemovals, runDeletions } from '#features/documents';
import {
  DEFAULT_GROUP,
  keepLanguages,
  keepTokens,
  keepToSelectedSpace,
  type SpaceEmbedders,
} from '#features/vector-spaces';
import type { Clock } from '#platform/kernel';
import { publishFeed } from '#ports/event-feed';
import type { Position } from '#ports/event-store';
import type { Lease } from '#ports/leases';
import { valueErasure } from './erase-values.ts';
import type { Parts } from './parts.ts';
import { layoutOf } from './settings.ts';

/** Time in which every process reads in the log that a merge has started. Milliseconds. */
const ANNOUNCE_MS = 2_000;

export interface SharedTasksOptions {
  readonly clock: Clock;
  readonly embedders: Pick<SpaceEmbedders, 'of' | 'forLanguages'>;
  readonly logger: { info(message: string): void; warn(message: string, cause?: unknown): void };
  /** Hides a deleted document from the answers of this process until the views no longer hold it. */
  readonly hide: (id: string, position: Position) => void;
}

/** Tasks beside the pipeline that one process at a time may do, by the names of their leases. */
export function sharedTasks(
  parts: Parts,
  { clock, embedders, logger, hide }: SharedTasksOptions,
): Readonly<Record<string, (held: Lease) => Promise<void>>> {
  const { nats, store, settings } = parts.storage;
  const { deletionLog: deletions, documents, erasure, views } = parts;
  const announceMs = settings.eventStoreUrl === null ? 0 : ANNOUNCE_MS;
  const merging = { ...parts, store, merges: parts.tagMerges, announceMs, logger };
  const deleting = { store, deletions, documents, erasure, views, hide, logger };
  const tasks = {
    'vector-space': async ({ signal }: Lease) => {
      const spaces = { ...parts, store, vectors: parts.storage.vectors };
      await Promise.all([
        keepToSelectedSpace(parts, DEFAULT_GROUP, { logger, signal }),
        keepLanguages(spaces, embedders, { logger, signal }),
        keepTokens(spaces, embedders.of(DEFAULT_GROUP), { logger, signal }),
      ]);
    },
    'bulk-deletions': ({ signal }: Lease) =>
      runDeletions({ ...deleting, eraseValues: valueErasure(parts, signal), signal }),
    ...(store.removals && {
      'removed-streams': ({ signal }: Lease) =>
        recordRemovals({ store, documents, erasure, views: views.reader, clock, hide, logger, signal }),
    }),
    'tag-merges': ({ signal }: Lease) => runMerges({ ...merging, signal }),
  };
  if (nats === null) return tasks;
  const layout = layoutOf(settings, 'events');
  const feed = { connection: nats, store, clock, logger, prefix: settings.prefix, layout };
  return { ...tasks, 'event-feed': ({ signal }) => publishFeed({ ...feed, signal }) };
}
