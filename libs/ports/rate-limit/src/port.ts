import type { NatsConnection, StreamLayout } from '#platform/nats';

/** Limit of requests in a window that begins with the first of them. At most an hour. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

export interface RateDecision {
  readonly isAllowed: boolean;
  /** Remaining requests in the window. */
  readonly remaining: number;
  /** Time until the window ends. Milliseconds. */
  readonly resetMs: number;
}

export interface RateLimiter {
  /** Counts a request of `key`, which has one limit for ever. Never rejects: during an outage each process counts for itself. */
  consume(key: string, limit: RateLimit): Promise<RateDecision>;
}

export interface NatsRateLimitOptions extends StreamLayout {
  readonly connection: NatsConnection;
  /** Name of the stream. Default: `mneme-rate-limits`. */
  readonly bucket?: string;
  /** Called once when NATS stops answering and this process begins to count for itself. */
  readonly onOutage: (error: unknown) => void;
}
