import { routeConfig } from '../access/route-config.ts';
import type { ApiError, ErrorCode } from '../errors/api-error.ts';
import type { ErrorBody } from '../errors/error.responses.ts';
import { errorBody } from '../errors/error-body.ts';

/** Errors of the route have the form of RFC 6749, and its body is a form as well as JSON. */
export const SpeaksOAuth = (): MethodDecorator => routeConfig({ isOAuth: true });

/** Names that refusals carry as their details. */
const NAMED: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_target']);
/** By the field that is wrong. */
const BY_FIELD: Readonly<Record<string, string>> = {
  grant_type: 'unsupported_grant_type',
  redirect_uris: 'invalid_redirect_uri',
};
const BY_CODE: Partial<Record<ErrorCode, string>> = {
  rate_limited: 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
  internal: 'server_error',
};

/** Returns the body of an error for an application: that of the contract, in which `error` is a code of OAuth. */
export function oauthErrorBody(answer: ApiError, requestId: string): ErrorBody {
  const { code, details, message } = answer;
  const named = details === null ? undefined : NAMED.has(details) ? details : BY_FIELD[details];
  return {
    ...errorBody(answer, requestId),
    error: named ?? BY_CODE[code] ?? 'invalid_request',
    error_description: message,
  };
}
