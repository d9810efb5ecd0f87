import type { Configuration } from 'openid-client';
import { FetchFailedError } from '#platform/fetch';
import { SourceLostError } from '../../errors.ts';
import type { GoogleAddresses } from './addresses.ts';

/** Reads files and what is known of them, and changes nothing. */
export const SCOPE = 'https://www.googleapis.com/auth/drive.readonly';

/** Until when an access token lasts if Google does not say. Seconds. */
const DEFAULT_LIFE_S = 3600;

export interface GoogleTokens {
  readonly access: string;
  /** Seconds. */
  readonly expiresIn: number;
  /** Null: the one that is known stays. */
  readonly refresh: string | null;
  readonly scopes: readonly string[];
}

export interface GoogleOAuthOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly addresses: GoogleAddresses;
  readonly fetch: typeof globalThis.fetch;
}

/** What a person permits at Google, and the tokens that follow from it. The library is loaded when it is needed. */
export class GoogleOAuth {
  readonly #options: GoogleOAuthOptions;

  constructor(options: GoogleOAuthOptions) {
    this.#options = options;
  }

  /** Returns where the browser goes. A refresh token comes only with the question, so that the question is always asked. */
  async authorizationUrl(request: { state: string; verifier: string; redirectUri: string }): Promise<string> {
    const { client, configuration } = await this.#library();
    const url = client.buildAuthorizationUrl(configuration, {
      ...{ redirect_uri: request.redirectUri, scope: SCOPE, state: request.state },
      ...{ access_type: 'offline', prompt: 'consent', include_granted_scopes: 'false' },
      code_challenge: await client.calculatePKCECodeChallenge(request.verifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /** @throws SourceLostError if Google does not take the code; FetchFailedError */
  async exchange(request: { code: string; verifier: string; redirectUri: string }): Promise<GoogleTokens> {
    const { client, configuration } = await this.#library();
    const back = new URL(request.redirectUri);
    back.searchParams.set('code', request.code);
    return this.#tokens(client.authorizationCodeGrant(configuration, back, { pkceCodeVerifier: request.verifier }));
  }

  /** @throws SourceLostError if the permission has ended; FetchFailedError */
  async refresh(token: string): Promise<GoogleTokens> {
    const { client, configuration } = await this.#library();
    return this.#tokens(client.refreshTokenGrant(configuration, token));
  }

  /** Gives a permission back. One that has ended already is no error. @throws FetchFailedError */
  async revoke(token: string): Promise<void> {
    const { client, configuration } = await this.#library();
    try {
      await client.tokenRevocation(configuration, token);
    } catch (error) {
      const translated = translate(error);
      if (!(translated instanceof SourceLostError)) throw translated;
    }
  }

  async #tokens(answer: Promise<TokenAnswer>): Promise<GoogleTokens> {
    try {
      const { access_token: access, refresh_token: refresh = null, scope = '', ...rest } = await answer;
      return { access, refresh, expiresIn: rest.expires_in ?? DEFAULT_LIFE_S, scopes: scope.split(' ') };
    } catch (error) {
      throw translate(error);
    }
  }

  async #library() {
    const client = await import('openid-client');
    const { clientId, clientSecret, addresses, fetch } = this.#options;
    const configuration: Configuration = new client.Configuration(
      {
        ...{ issuer: addresses.issuer, authorization_endpoint: addresses.authorize },
        ...{ token_endpoint: addresses.token, revocation_endpoint: addresses.revoke },
      },
      clientId,
      undefined,
      client.ClientSecretPost(clientSecret),
    );
    configuration[client.customFetch] = (url, options) => fetch(url, options as RequestInit);
    if (addresses.token.startsWith('http:')) client.allowInsecureRequests(configuration);
    return { client, configuration };
  }
}

interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
  readonly scope?: string;
}

/** Codes of OAuth that say that the permission, or this server's part in it, has ended. */
const ENDED: ReadonlySet<string> = new Set([
  ...['invalid_grant', 'invalid_token', 'invalid_client', 'unauthorized_client', 'access_denied', 'deleted_client'],
]);

function translate(error: unknown): unknown {
  const { error: code, status = 0, cause } = error as { error?: string; status?: number; cause?: unknown };
  if (code !== undefined && ENDED.has(code)) {
    return new SourceLostError(`Google does not accept the permission any more (${code}). Connect the account again.`);
  }
  if (error instanceof FetchFailedError) return error;
  // An answer that is none of OAuth carries its response.
  const answered = status > 0 ? status : cause instanceof Response ? cause.status : 0;
  return new FetchFailedError(`Google's tokens cannot be asked for (${code ?? (answered || 'no answer')}).`, {
    ...{ isTemporary: answered === 0 || answered === 429 || answered >= 500, cause: error },
  });
}
