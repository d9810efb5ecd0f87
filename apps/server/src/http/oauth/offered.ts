import type { AuthorizationServer } from '#features/oauth';
import { ApiError } from '../errors/api-error.ts';

/** @throws ApiError if the settings have none */
export function offered(server: AuthorizationServer | null): AuthorizationServer {
  if (server !== null) return server;
  throw new ApiError('not_found', 'Applications get no access by OAuth here: it is not in the settings of the server');
}
