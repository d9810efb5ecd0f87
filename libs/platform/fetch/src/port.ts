import type { Duplex } from 'node:stream';
import type { AllowRule } from './policy.ts';

/** Returns all addresses of a host name. @throws what the resolver of the system throws */
export type Resolver = (name: string) => Promise<readonly string[]>;

/** Opens a TCP connection to an address, or to the host of the proxy. @throws what sockets throw; when the signal aborts */
export type Connector = (host: string, port: number, signal: AbortSignal) => Promise<Duplex>;

/** What decides how large a body may be. */
export interface BodyStart {
  readonly contentType: string | null;
  /** Up to 4096 bytes. */
  readonly start: Uint8Array;
}

export interface FetchRequest {
  readonly accept?: string;
  /** Of an earlier response: the server can answer 304. */
  readonly etag?: string | null;
  readonly lastModified?: string | null;
  /** Largest body after decompression. Bytes. Default: `FILE_BYTES`. */
  readonly limitOf?: (body: BodyStart) => number;
  /** Rules in addition to those of the operator. */
  readonly allow?: readonly AllowRule[];
  /** Before each request, redirects included. What it throws ends the fetch. */
  readonly before?: (url: URL) => Promise<void>;
  readonly signal?: AbortSignal;
}

/** A response with status 200 to 299, or 304. */
export interface FetchResponse {
  /** After redirects, without credentials and fragment. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly contentDisposition: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Decompressed. Can be read once. @throws FetchFailedError */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Gets what is at an address that a caller gave. The only way out of the program to such an address. */
export interface Fetch {
  /**
   * @param use reads the response, which ends when it returns
   * @throws FetchRefusedError, FetchFailedError; what `use` and `before` throw; the reason of the request's signal
   */
  get<T>(address: string, request: FetchRequest, use: (response: FetchResponse) => Promise<T>): Promise<T>;
}
