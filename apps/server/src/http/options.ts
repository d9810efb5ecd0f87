import type { RateLimiter } from '#rate-limit';
import type { Logger, Metrics } from '#telemetry';

export interface HttpOptions {
  /** Counts the requests of each key; null: unlimited. */
  readonly rateLimiter: RateLimiter | null;
  /** Largest JSON body, in bytes. */
  readonly maxBodyBytes: number;
  /** An existing folder; files stand in it only while they are being uploaded and added. */
  readonly uploadFolder: string;
  readonly name: string;
  readonly version: string;
  /** Where the API is reached from outside; null: where the browser found this page. */
  readonly publicUrl: string | null;
  /** Writes the request log. Absent: none is written. */
  readonly logger?: Pick<Logger, 'debug' | 'info'>;
  /** Null or absent: metrics are off. */
  readonly metrics?: Metrics | null;
}

export const HTTP_OPTIONS = Symbol('HttpOptions');

export const DEFAULT_MAX_BODY_BYTES = 52_428_800;
/** Also 50 MB, but stated by the contract and not configurable. */
export const MAX_FILE_BYTES = 52_428_800;
