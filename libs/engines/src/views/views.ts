import type { ViewsProgress, ViewsReader } from '#views';
import type { Held } from '../leases.ts';

/** The read models, wherever they stand. */
export interface OpenViews {
  readonly reader: ViewsReader;
  readonly progress: ViewsProgress;
  /** Keeps the views up with the log until the signal aborts. Only for who holds the lease of the views. */
  follow(held: Held): Promise<void>;
  close(): Promise<void>;
}
