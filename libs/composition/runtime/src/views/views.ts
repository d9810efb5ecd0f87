import type { Lease } from '#ports/leases';
import type { WrittenCounts } from '#read-side/projections';
import type { ViewsProgress, ViewsReader } from '#read-side/views';

/** Views that were rebuilt, beside the serving ones. */
export interface RebuiltViews {
  readonly serving: ViewsReader;
  readonly rebuilt: ViewsReader;
  /** Resolves when both hold everything that is in the log by now. */
  level(): Promise<void>;
}

export interface RebuildOptions {
  /** Vector space of the new views. Default: the one that serves according to the log. */
  readonly space?: string;
  readonly onProgress: (written: WrittenCounts) => void;
  /** Inspects the new views before they replace the serving ones. False: they are discarded. */
  readonly inspect?: (views: RebuiltViews) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** The views, on either engine. */
export interface OpenViews {
  readonly reader: ViewsReader;
  readonly progress: ViewsProgress;
  /** Damaged views are being rebuilt from the log. */
  readonly repairing: boolean;
  /** Resolves when the views exist, even if they are empty, or after the timeout. Milliseconds. */
  made(timeoutMs: number): Promise<void>;
  /** Projects the log into the views until the signal aborts. Only under the lease of the views. */
  follow(held: Lease): Promise<void>;
  /**
   * Rebuilds the views from the log beside the serving ones, which answer until the new ones replace them.
   * @returns false: the new ones were not wanted, or the signal aborted; the serving ones stay
   */
  rebuild(options: RebuildOptions): Promise<boolean>;
  /**
   * Removes what was deleted before the call from the engine's files, where no answer finds it.
   * @returns false: something remains for now, or the signal aborted; null: the engine keeps nothing of it
   */
  purge(signal: AbortSignal): Promise<boolean | null>;
  close(): Promise<void>;
}
