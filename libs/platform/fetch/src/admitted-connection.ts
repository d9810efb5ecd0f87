import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { unlessAborted } from '#platform/kernel';
import { isPublic } from './addresses.ts';
import { openConnection, systemResolver, tcpConnector } from './connection.ts';
import { FetchFailedError } from './errors.ts';
import { admit, type Policy, type Target } from './policy.ts';
import type { Connector, Resolver } from './port.ts';

/** Of a response. */
export const MAX_HEADER_BYTES = 64 * 1024;

export interface ConnectionOptions extends Policy {
  /** Null: direct connections. Variables such as `HTTP_PROXY` are ignored. */
  readonly proxy: string | null;
  /** Whether the proxy also leads to addresses that are not public. Default: yes. */
  readonly proxiesPrivate?: boolean;
  /** Default: the resolver of the system. */
  readonly resolver?: Resolver;
  /** Default: TCP. */
  readonly connector?: Connector;
}

/**
 * Connects to an address of the target that the policy permits.
 * @throws FetchRefusedError, FetchFailedError; what sockets throw; the reason of the signal
 */
export async function openAdmitted(target: Target, options: ConnectionOptions, signal: AbortSignal): Promise<Duplex> {
  const { resolver = systemResolver, connector = tcpConnector, proxy, proxiesPrivate = true } = options;
  const addresses = isIP(target.host) > 0 ? [target.host] : await unlessAborted(resolve(resolver, target.host), signal);
  admit(target, addresses, options);
  const isDirect = proxy === null || !(proxiesPrivate || addresses.every(isPublic));
  const route = { connector, proxy: isDirect ? null : new URL(proxy) };
  return openConnection(target, addresses, route, signal);
}

async function resolve(resolver: Resolver, host: string): Promise<readonly string[]> {
  try {
    const addresses = await resolver(host);
    if (addresses.length > 0) return addresses;
  } catch (cause) {
    const isUnknownName = (cause as NodeJS.ErrnoException).code === 'ENOTFOUND';
    throw isUnknownName ? unknownName(host, cause) : unresolved(host, { cause });
  }
  throw unknownName(host);
}

/** A name that was registered a moment ago is known later. */
const unknownName = (host: string, cause?: unknown): FetchFailedError =>
  new FetchFailedError(`The name ${host} does not exist. Check the address.`, {
    ...{ isTemporary: true, isUnknownName: true, cause },
  });

const unresolved = (host: string, options: ErrorOptions): FetchFailedError =>
  new FetchFailedError(`The name ${host} could not be resolved. Check the address.`, { isTemporary: true, ...options });
