import { type AuthorizationServer, isResource } from '#features/oauth';
import { RedeemCode, RefreshTokens } from '#features/oauth/use-cases';
import { IsOneOf, IsText, invalid, Required, ShownBy } from '#platform/input';
import { ApiError } from '../errors/api-error.ts';

const SEALED = { min: 1, max: 16_000 } as const;

/** What an application exchanges for tokens, in the names of RFC 6749. */
@ShownBy({
  'A code of a person who has agreed': {
    grant_type: 'authorization_code',
    client_id: 'https://app.example.com/client.json',
    code: '0123456789abcdefghijkl.x',
    redirect_uri: 'http://127.0.0.1:8123/callback',
    code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  },
  'A refresh token': {
    grant_type: 'refresh_token',
    client_id: 'https://app.example.com/client.json',
    refresh_token: '0123456789abcdefghijkl.x',
  },
})
export class TokenInput {
  /** What is exchanged. */
  @Required()
  @IsOneOf(['authorization_code', 'refresh_token'])
  grant_type!: string;

  /** By which the application has asked. */
  @Required()
  @IsText({ min: 1, max: 4_000 })
  client_id!: string;

  /** Of a person who has agreed. It counts once, for a minute. */
  @IsText(SEALED)
  code?: string;

  /** Where the browser went back to with the code. */
  @IsText({ min: 1, max: 500 })
  redirect_uri?: string;

  /** Of which the application has sent the hash (PKCE). */
  @IsText({ min: 43, max: 128 })
  code_verifier?: string;

  /** The last one that the application got. */
  @IsText(SEALED)
  refresh_token?: string;

  /** Address of the tool server. Default: that of this server. */
  @IsText({ min: 1, max: 1_000 })
  resource?: string;
}

/** @throws InputError for a field that is missing; ApiError for a token for another server */
export function exchange(input: TokenInput, { resource }: AuthorizationServer): RedeemCode | RefreshTokens {
  if (!isResource(input.resource, resource)) {
    throw new ApiError('invalid_request', `Tokens are for ${resource} alone`, 'invalid_target');
  }
  const clientId = input.client_id;
  if (input.grant_type === 'refresh_token') return new RefreshTokens(given(input, 'refresh_token'), clientId);
  return new RedeemCode({
    ...{ code: given(input, 'code'), clientId },
    ...{ redirectUri: given(input, 'redirect_uri'), verifier: given(input, 'code_verifier') },
  });
}

function given(input: TokenInput, field: 'code' | 'redirect_uri' | 'code_verifier' | 'refresh_token'): string {
  const value = input[field];
  if (value === undefined) throw invalid(field, `${field} is required`);
  return value;
}

/** A token that an application gives back (RFC 7009). */
@ShownBy({ 'A refresh token': { token: '0123456789abcdefghijkl.x' } })
export class RevocationInput {
  /** An access token or a refresh token. */
  @Required()
  @IsText(SEALED)
  token!: string;

  /** Ignored: the server tells them apart. */
  @IsText({ max: 100 })
  token_type_hint?: string;
}
