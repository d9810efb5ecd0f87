import type { NatsConnection } from '#nats';

/** So many requests in a window that begins with the first of them. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

export interface RateDecision {
  readonly isAllowed: boolean;
  /** Requests that are left in the window. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

export interface RateLimiter {
  readonly limit: RateLimit;
  /** Counts a request against `key`. Never rejects: what cannot be counted together is counted apart. */
  consume(key: string): Promise<RateDecision>;
}

export interface NatsRateLimitOptions {
  readonly connection: NatsConnection;
  readonly limit: RateLimit;
  /** Name of the stream; `mneme-rate-limits` where nothing is said. */
  readonly bucket?: string;
  /** Copies in the cluster. Where nothing is said: one, or what the operator has set. */
  readonly replicas?: number;
  /** Told once when NATS stops answering, and each process begins to count for itself. */
  readonly onOutage: (error: unknown) => void;
}
