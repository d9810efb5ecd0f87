import type { ConnectionRepository } from '#features/connections';
import type { ContainerTagRepository, TagMergeRepository } from '#features/container-tags';
import type { DocumentRepository } from '#features/documents';
import type { EventStore } from '#ports/event-store';
import type { ViewsProgress, ViewsReader } from '#read-side/views';

export interface RunMergesOptions {
  readonly store: Pick<EventStore, 'head' | 'subscribe'>;
  readonly merges: TagMergeRepository;
  readonly containerTags: ContainerTagRepository;
  readonly connections: ConnectionRepository;
  readonly documents: DocumentRepository;
  readonly views: { readonly reader: Pick<ViewsReader, 'list' | 'rows'>; readonly progress: ViewsProgress };
  /** Milliseconds in which every process learns of a merge that was started elsewhere; 0: there is no other process. */
  readonly announceMs: number;
  readonly logger: { warn(message: string, cause?: unknown): void };
  readonly signal: AbortSignal;
}
