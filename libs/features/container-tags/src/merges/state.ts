/** What a running merge does, in the words of the contract. */
export type MergeStage = 'waiting_for_ingest' | 'copying_vectors' | 'db_committing' | 'cleanup_pending';

export interface TagMerge {
  readonly id: string;
  readonly target: string;
  /** At least one; never the target. */
  readonly sources: readonly string[];
  /** Who started it, as events name it. */
  readonly actor: string;
  readonly status: 'queued' | MergeStage | 'completed' | 'failed';
  /** Documents that were moved. */
  readonly documents: number;
  /** Sources that are complete, in their order. */
  readonly completed: number;
  /** How often it was begun; 0: not yet. */
  readonly attempt: number;
  /** Code of the failure. Null: it has not failed. */
  readonly error: string | null;
}

/** The merges of an organization. */
export interface TagMerges {
  readonly running: readonly TagMerge[];
  /** The newest ones that have ended, the last one first. */
  readonly ended: readonly TagMerge[];
}

export const noMerges: TagMerges = { running: [], ended: [] };

/** Version of the shape of the state; snapshots of other versions are ignored. */
export const MERGES_VERSION = 1;
