import type { NatsConnection, StreamLayout } from '#platform/nats';

export interface Lease {
  /**
   * Greater than the token of every earlier holder. A store that keeps the greatest token it has seen can reject a writer
   * that was paused and lost its lease. About milliseconds since the Unix epoch, so that tokens grow even if all records of
   * the leases are lost.
   */
  readonly fencingToken: number;
  /** Aborts before another process can hold the lease, unless this process is paused. */
  readonly signal: AbortSignal;
}

export interface HoldOptions {
  /** Ends the lease, or the wait for it. */
  readonly signal: AbortSignal;
  /**
   * Asks the present holder to pass the lease on: the signal of its lease aborts, and it waits for the lease again. No other
   * process gets the lease in between. Default: false.
   */
  readonly takeOver?: boolean;
  /** Has to end soon after the signal of the lease has aborted. */
  run(lease: Lease): Promise<void>;
}

/** Work that one process at a time may do. */
export interface Leases {
  /**
   * Waits for the lease and calls `run` while it is held; if the lease is lost or taken over, waits and calls `run` again. Releases the
   * lease when `run` has ended. If the holder dies, another process gets the lease within ten seconds. Resolves when
   * `signal` has aborted, or when `run` has resolved while the lease was held.
   * @throws what `run` throws while the lease is held
   */
  hold(name: string, options: HoldOptions): Promise<void>;
}

export interface NatsLeaseOptions extends StreamLayout {
  readonly connection: NatsConnection;
  /** Name of the stream. Default: `mneme-leases`. */
  readonly bucket?: string;
}
