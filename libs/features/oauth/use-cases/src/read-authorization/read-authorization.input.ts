import { IsOneOf, IsText, Required, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { ReadAuthorization } from './read-authorization.query.ts';

/** Of a challenge or a verifier (RFC 7636). Characters. */
const PROOF = { min: 43, max: 128 } as const;

/** What an application asks for, in the names of RFC 6749. */
@ShownBy({
  'To read and write': {
    response_type: 'code',
    client_id: 'https://app.example.com/client.json',
    redirect_uri: 'http://127.0.0.1:8123/callback',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    state: 'af0ifjsldkj',
  },
})
export class AuthorizationInput {
  /** Always `code`. */
  @Required()
  @IsOneOf(['code'])
  response_type!: string;

  /** Address of the metadata of the application, or what its registration has given. */
  @Required()
  @IsText({ min: 1, max: 4_000 })
  client_id!: string;

  /** Where the browser goes back to. */
  @Required()
  @IsText({ min: 1, max: 500 })
  redirect_uri!: string;

  /** Proof key of the application (PKCE): the hash of a verifier that it keeps. */
  @Required()
  @IsText(PROOF)
  code_challenge!: string;

  /** Always `S256`. */
  @Required()
  @IsOneOf(['S256'])
  code_challenge_method!: string;

  /** Given back to the application. */
  @IsText({ max: 2_000 })
  state?: string;

  /** `read`, or `read write`. Default: both. */
  @IsText({ max: 500 })
  scope?: string;

  /** Address of the tool server. Default: that of this server; there is no other. */
  @IsText({ min: 1, max: 1_000 })
  resource?: string;
}

export function readAuthorization(principal: Principal, input: AuthorizationInput): ReadAuthorization {
  const { client_id: clientId, redirect_uri: redirectUri, code_challenge: challenge, state = null } = input;
  const { scope, resource } = input;
  return new ReadAuthorization(principal, { clientId, redirectUri, challenge, state, scope, resource });
}
