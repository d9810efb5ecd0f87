import type { FastifyRequest } from 'fastify';
import { routeConfig } from '../access/route-config.ts';
import { ApiError, type ErrorCode } from '../errors/api-error.ts';
import type { HttpOptions } from '../options.ts';
import { publicUrl } from '../transport/public-url.ts';

/** Bodies and errors of the route are messages of JSON-RPC. */
export const SpeaksRpc = (): MethodDecorator => routeConfig({ isRpc: true });

/** Where a client reads what protects the tool server. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** The key is missing, or is not valid. Clients read from the header how they get another one. */
export function rpcUnauthorized(request: FastifyRequest, options: Pick<HttpOptions, 'publicUrl'>): ApiError {
  const metadata = `resource_metadata="${publicUrl(request, options as HttpOptions)}${METADATA_PATH}/mcp"`;
  return request.headers.authorization
    ? new ApiError('unauthorized', 'Invalid or expired token', null, {
        'www-authenticate': `Bearer error="invalid_token", ${metadata}`,
      })
    : new ApiError('unauthorized', 'A valid API key is needed: Authorization: Bearer sm_…', null, {
        'www-authenticate': `Bearer ${metadata}`,
      });
}

/** The codes of JSON-RPC. One of the server's own says nothing more than its message. */
const CODES = { unreadable: -32_700, invalid: -32_600, internal: -32_603, own: -32_000 };

/** Returns the message that answers a request with an error. */
export function rpcErrorBody({ code, message }: ApiError, { body, id: requestId }: FastifyRequest) {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null;
  return {
    jsonrpc: '2.0',
    error: { code: CODES[kindOf(code, body)], message, data: { code, requestId } },
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
  };
}

function kindOf(code: ErrorCode, body: unknown): keyof typeof CODES {
  if (code === 'internal') return 'internal';
  if (code !== 'invalid_request') return 'own';
  return body === undefined ? 'unreadable' : 'invalid';
}
