import type { Lease } from '#leases';
import type { Written } from '#projections';
import type { ViewsProgress, ViewsReader } from '#views';

/** Views that were made anew, beside those that serve. */
export interface Rebuilt {
  readonly serving: ViewsReader;
  readonly rebuilt: ViewsReader;
  /** Resolves when both hold everything that is in the log by now. */
  level(): Promise<void>;
}

export interface RebuildOptions {
  /** The vector space of the new views; that which the log says serves, unless told. */
  readonly space?: string;
  readonly onProgress: (written: Written) => void;
  /** Looks at the new views before they take the place of the serving ones. False: they are thrown away instead. */
  readonly inspect?: (views: Rebuilt) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** The read models, wherever they stand. */
export interface OpenViews {
  readonly reader: ViewsReader;
  readonly progress: ViewsProgress;
  /** They were found damaged and are being made anew from the log. */
  readonly repairing: boolean;
  /** Resolves when there are views to ask, even if they are still empty, or after so many milliseconds. */
  made(timeoutMs: number): Promise<void>;
  /** Keeps the views up with the log until the signal aborts. Only for who holds the lease of the views. */
  follow(held: Lease): Promise<void>;
  /**
   * Makes the views anew from the log beside the serving ones, which go on answering until the new ones take their place.
   * @returns false: the new ones were not wanted, or the signal aborted; the serving ones stay
   */
  rebuild(options: RebuildOptions): Promise<boolean>;
  close(): Promise<void>;
}
