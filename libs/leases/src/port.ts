import type { NatsConnection } from '#nats';

export interface Lease {
  /**
   * Greater than that of every holder before: a store that remembers the greatest one it has seen can refuse a writer who
   * was paused and does not know yet that he lost the lease. About milliseconds since the Unix epoch, so that it grows also
   * when whoever counts has forgotten everything.
   */
  readonly epoch: number;
  /** Aborts before anybody else can hold the lease, unless this process was paused meanwhile. */
  readonly signal: AbortSignal;
}

export interface Holding {
  /** Ends the holding and the waiting for it. */
  readonly signal: AbortSignal;
  /** Has to end soon after the lease's signal has aborted. */
  run(lease: Lease): Promise<void>;
}

/** Work that only one of all processes does at a time. */
export interface Leases {
  /**
   * Waits for the lease, and runs `run` while it is held; after it was lost, waits and runs again. Given back as soon as
   * `run` has ended; a holder who died is followed within ten seconds.
   * @returns when `signal` has aborted, or `run` has resolved while the lease was held
   * @throws what `run` throws while the lease is held
   */
  hold(name: string, holding: Holding): Promise<void>;
}

export interface NatsLeaseOptions {
  readonly connection: NatsConnection;
  /** Name of the stream; `mneme-leases` where nothing is said. */
  readonly bucket?: string;
  /** Copies in the cluster. Where nothing is said: one, or what the operator has set. */
  readonly replicas?: number;
}
