import type { Clock } from '#kernel';

/** What whoever holds a lease is given. */
export interface Held {
  /** Higher than that of every earlier holder of the lease, so that a store can refuse one that is past its time. */
  readonly epoch: number;
  /** Aborts when the lease is lost or nobody wants it any more. */
  readonly signal: AbortSignal;
}

/** For what only one process may do at a time. */
export interface Leases {
  /** Waits for the lease, runs, and gives it back. Starts over when it was lost; ends when the signal aborts. */
  hold(name: string, options: { readonly signal: AbortSignal; run(held: Held): Promise<void> }): Promise<void>;
}

/** Of a process that is the only one: nobody else is there to be kept out. */
export const ownLeases = (clock: Clock): Leases => ({
  hold: (_name, { signal, run }) => run({ epoch: clock.now(), signal }),
});
