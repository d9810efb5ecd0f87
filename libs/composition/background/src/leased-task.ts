import type { Parts } from '#composition/runtime';
import type { DocumentName } from '#features/documents';
import type { SpaceEmbedders } from '#features/vector-spaces';
import type { Clock } from '#platform/kernel';
import type { Position } from '#ports/event-store';
import type { Lease } from '#ports/leases';
import type { Pipeline } from '#processing/pipeline';

/** What tasks work with. */
export interface TaskContext {
  readonly parts: Parts;
  readonly pipeline: Pick<Pipeline, 'manage'>;
  readonly embedders: SpaceEmbedders;
  readonly clock: Clock;
  readonly logger: {
    info(message: string): void;
    warn(message: string, cause?: unknown): void;
    error(message: string, cause?: unknown): void;
  };
  /** Hides a deleted document from the answers of this process until the views no longer hold it. */
  readonly hide: (document: DocumentName, position: Position) => void;
}

/** Work in the background that one process at a time does. */
export interface LeasedTask {
  /** Of its lease. */
  readonly name: string;
  /** Goes on until the signal of the lease aborts; after a fault it starts again. */
  run(context: TaskContext, held: Lease): Promise<void>;
  /** Default: every installation needs it. */
  isNeeded?(parts: Parts): boolean;
}
