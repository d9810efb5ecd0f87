import type { Provider } from '#features/proxy';
import type { ConnectionOptions } from '#platform/fetch';
import type { Clock } from '#platform/kernel';
import type { Logger, Metrics } from '#platform/telemetry';
import type { Analytics } from '#ports/analytics';
import type { KeyUses } from '#ports/key-uses';
import type { RateLimit, RateLimiter } from '#ports/rate-limit';

export interface HttpOptions {
  /** Counts the requests of each key. */
  readonly rateLimiter: RateLimiter;
  /** Of keys without a limit of their own. Null or absent: none. */
  readonly rateLimit?: RateLimit | null;
  /** Absent: it is not noted when keys are used. */
  readonly keyUses?: Pick<KeyUses, 'note'>;
  /** The operator's key, which opens the routes of organizations alone. Null or absent: they are closed. */
  readonly installationKey?: string | null;
  /** Absent: requests are not recorded. */
  readonly analytics?: Pick<Analytics, 'record' | 'recordTokens'>;
  /** Limit of JSON bodies. Bytes. */
  readonly maxBodyBytes: number;
  /** Event streams that a key may have open in this process. */
  readonly maxStreams: number;
  /** An existing folder for files and large bodies while they are received and added. */
  readonly uploadFolder: string;
  /** Address under which clients reach the server, without a slash at its end. Null or absent: as each request says. */
  readonly publicUrl?: string | null;
  /** Names and addresses of this server beside loopback and `publicUrl`, by which the tool server may be called. Absent: none. */
  readonly hosts?: readonly string[];
  /** Origins of pages beside its own and those of loopback, which may call the tool server. Absent: none. */
  readonly origins?: readonly string[];
  /** Addresses and networks of proxies whose word on the address of a client counts. Absent: none. */
  readonly trustedProxies?: readonly string[];
  /** Whether other processes write to the log, so that a cookie can be newer than what this one has heard. Default: no. */
  readonly hasOtherProcesses?: boolean;
  /** Null or absent: calls of language models are passed on to nobody. */
  readonly proxy?: ProxyOptions | null;
  readonly name: string;
  readonly version: string;
  /** Writes the request log and warnings. Absent: none is written. */
  readonly logger?: Pick<Logger, 'debug' | 'info' | 'warn'>;
  /** Null or absent: metrics are off. */
  readonly metrics?: Metrics | null;
  /** For windows of wrong keys. Default: the system's clock. */
  readonly clock?: Clock;
}

/** How calls of language models are passed on. */
export interface ProxyOptions {
  /** Those of the operator first. */
  readonly providers: readonly Provider[];
  /** How they are reached. */
  readonly connections: ConnectionOptions;
  /** Limit of bodies. Bytes. */
  readonly maxBodyBytes: number;
  /** Tokens of a call above which its oldest turns are left out. */
  readonly maxContextTokens: number;
  /** How long a call waits for memory. Milliseconds. */
  readonly memoryMs: number;
}

export const HTTP_OPTIONS = Symbol('HttpOptions');

export const DEFAULT_MAX_BODY_BYTES = 52_428_800;
/** Limit of the contract (§1.5); not configurable. */
export const MAX_FILE_BYTES = 52_428_800;
