import type { AddressRefusal } from '#features/proxy';
import { FetchFailedError, FetchRefusedError } from '#platform/fetch';
import { invalid } from '#platform/input';
import { ApiError } from '../errors/api-error.ts';
import { CallEnded } from './call-time.ts';

/** Returns the answer to a call that names no provider. */
export function refusedAddress(refusal: AddressRefusal): Error {
  switch (refusal) {
    case 'no_address':
      return invalid('path', 'The path must go on with the address of a provider, such as https://api.openai.com/v1/…');
    case 'host_forbidden':
      return new ApiError(
        'forbidden',
        'No provider is at this address; the operator can name it in MNEME_PROXY_PROVIDERS',
      );
    case 'unknown_provider':
      return new ApiError('not_found', 'No provider has this name; the operator can name it in MNEME_PROXY_PROVIDERS');
    case 'provider_forbidden':
      return new ApiError('forbidden', 'The provider is for other organizations');
  }
}

/** Returns the answer to a call whose provider has not answered. */
export function failureOf(error: unknown): unknown {
  if (error instanceof CallEnded) return new ApiError('provider_timeout', error.message);
  if (error instanceof FetchRefusedError) {
    return new ApiError(
      'forbidden',
      'The provider has a private address; the operator can name it in MNEME_PROXY_PROVIDERS',
    );
  }
  if (error instanceof FetchFailedError) {
    // The body that was passed on has grown too large.
    if (error.cause instanceof ApiError) return error.cause;
    return new ApiError('provider_unreachable', `The provider could not be reached: ${error.message}`);
  }
  return error;
}
