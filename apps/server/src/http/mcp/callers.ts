import type { FastifyRequest } from 'fastify';
import { isLoopbackHost } from '#platform/kernel';
import { ApiError } from '../errors/api-error.ts';
import type { HttpOptions } from '../options.ts';

export const MCP_PATH = '/mcp';
const MCP_URL = /^\/mcp\/?(\?|$)/;

type Known = Pick<HttpOptions, 'publicUrl' | 'hosts' | 'origins'>;

/** Whether a request is for the tool server, also one that no route answers, such as a preflight. */
export const isForTools = ({ routeOptions, raw }: FastifyRequest): boolean =>
  routeOptions?.url === MCP_PATH || MCP_URL.test(raw.url ?? '');

/**
 * Refuses pages of other sites, which a browser in the server's network can send here, also by a name of their own that
 * resolves to the server's address (DNS rebinding). Null: the request may go on.
 */
export function foreignCaller(request: FastifyRequest, known: Known): ApiError | null {
  if (!isKnownHost(request, known)) {
    return new ApiError(
      'forbidden',
      'The server is not known by this Host: its operator can name it in MNEME_HOSTS',
      'Host',
    );
  }
  return isKnownOrigin(request, known)
    ? null
    : new ApiError(
        'forbidden',
        'Pages of this Origin may not call: the operator can name it in MNEME_ORIGINS',
        'Origin',
      );
}

function isKnownHost({ host }: FastifyRequest, { publicUrl, hosts = [] }: Known): boolean {
  const name = hostOf(`http://${host}`);
  if (name === null) return false;
  return isLoopbackHost(name) || hosts.includes(name) || (publicUrl != null && hostOf(publicUrl) === name);
}

/** Programs send no origin. */
export function isKnownOrigin(
  { headers, protocol, host }: FastifyRequest,
  { publicUrl, origins = [] }: Known,
): boolean {
  const origin = headers.origin?.toLowerCase();
  if (origin === undefined) return true;
  const own = publicUrl == null ? `${protocol}://${host}` : new URL(publicUrl).origin;
  return origin === own || origins.includes(origin) || isLoopbackHost(hostOf(origin) ?? '');
}

/** In lower case; an IPv6 address in brackets. */
const hostOf = (url: string): string | null => URL.parse(url)?.hostname ?? null;
