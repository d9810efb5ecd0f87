import { createHash, createSign, generateKeyPairSync } from 'node:crypto';

export interface Client {
  readonly id: string;
  readonly secret: string;
  /** Where a browser may be sent back. */
  readonly redirectUris: readonly string[];
}

export interface User {
  readonly email: string;
  readonly name: string;
  /** Id of the account. */
  readonly sub: string;
}

interface Grant {
  readonly client: string;
  readonly scopes: readonly string[];
  isRevoked: boolean;
}

interface Code {
  readonly grant: Grant;
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly method: string;
  readonly nonce: string | null;
  readonly isOffline: boolean;
}

interface AccessToken {
  readonly grant: Grant;
  expires: number;
  /** How many requests it is good for. */
  uses: number;
}

/** An answer of the endpoints of authorization. `location`: a redirect; `text`: a page. */
export interface OAuthAnswer {
  readonly status: number;
  readonly location?: string;
  readonly body?: object;
  readonly text?: string;
}

const refused = (status: number, error: string, error_description: string): OAuthAnswer => ({
  status,
  body: { error, error_description },
});

/** Google's authorization server for one user, who is signed in. */
export class OAuth {
  /** What the user grants of what is asked for. Null: nothing. */
  consent: (asked: readonly string[]) => readonly string[] | null = (asked) => asked;
  /** Of access tokens that are given from now on. Seconds. */
  lifetime = 3599;
  /** How many requests an access token that is given from now on is good for. */
  uses = Number.POSITIVE_INFINITY;
  /** Seconds until refresh tokens end, as those of an app in testing do. Null: they do not. */
  refreshLifetime: number | null = null;
  readonly #issuer: string;
  readonly #clients: readonly Client[];
  readonly #user: User;
  readonly #codes = new Map<string, Code>();
  readonly #access = new Map<string, AccessToken>();
  readonly #refresh = new Map<string, { readonly grant: Grant; readonly ends: number }>();
  readonly #consented = new Set<string>();
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2048 });

  constructor(issuer: string, clients: readonly Client[], user: User) {
    this.#issuer = issuer;
    this.#clients = clients;
    this.#user = user;
  }

  metadata(): object {
    const at = (path: string) => this.#issuer + path;
    return {
      issuer: this.#issuer,
      authorization_endpoint: at('/o/oauth2/v2/auth'),
      token_endpoint: at('/token'),
      revocation_endpoint: at('/revoke'),
      userinfo_endpoint: at('/v1/userinfo'),
      jwks_uri: at('/oauth2/v3/certs'),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid', 'email', 'profile'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      code_challenge_methods_supported: ['plain', 'S256'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
    };
  }

  certs(): object {
    return { keys: [{ ...this.#keys.publicKey.export({ format: 'jwk' }), kid: 'stand-in', use: 'sig', alg: 'RS256' }] };
  }

  /** The page where the user is asked. The user answers at once, as `consent` says. */
  authorize(query: URLSearchParams): OAuthAnswer {
    const client = this.#clients.find(({ id }) => id === query.get('client_id'));
    const redirectUri = query.get('redirect_uri') ?? '';
    if (client === undefined) return page('invalid_client', 'The OAuth client was not found.');
    if (!client.redirectUris.includes(redirectUri)) return page('redirect_uri_mismatch', redirectUri);
    const asked = (query.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
    if (query.get('response_type') !== 'code') return page('unsupported_response_type', 'Only code is.');
    if (asked.length === 0) return page('invalid_request', 'Missing required parameter: scope');
    const method = query.get('code_challenge_method') ?? 'plain';
    if (!['plain', 'S256'].includes(method)) return page('invalid_request', 'Invalid code_challenge_method');
    const back = (answer: Record<string, string>): OAuthAnswer => {
      const url = new URL(redirectUri);
      const state = query.get('state');
      for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
      if (state !== null) url.searchParams.set('state', state);
      return { status: 302, location: url.href };
    };
    const scopes = this.consent(asked);
    if (scopes === null) return back({ error: 'access_denied' });
    const grant = { client: client.id, scopes, isRevoked: false };
    const isFirst = !this.#consented.has(client.id) || query.get('prompt')?.split(' ').includes('consent') === true;
    this.#consented.add(client.id);
    const code = `4/0A${crypto.randomUUID()}`;
    this.#codes.set(code, {
      ...{ grant, redirectUri, method, challenge: query.get('code_challenge'), nonce: query.get('nonce') },
      isOffline: query.get('access_type') === 'offline' && isFirst,
    });
    return back({ code, scope: scopes.join(' ') });
  }

  /** @param basic the header Authorization */
  token(form: URLSearchParams, basic: string | undefined): OAuthAnswer {
    const [id, secret] = basic?.startsWith('Basic ')
      ? Buffer.from(basic.slice('Basic '.length), 'base64').toString().split(':').map(decodeURIComponent)
      : [form.get('client_id'), form.get('client_secret')];
    const client = this.#clients.find((one) => one.id === id);
    if (client === undefined) return refused(401, 'invalid_client', 'The OAuth client was not found.');
    if (client.secret !== secret) return refused(401, 'invalid_client', 'Unauthorized');
    const kind = form.get('grant_type');
    if (kind === 'authorization_code') return this.#exchange(form, client);
    if (kind !== 'refresh_token') return refused(400, 'unsupported_grant_type', `Invalid grant_type: ${kind}`);
    const known = this.#refresh.get(form.get('refresh_token') ?? '');
    if (known === undefined || known.grant.client !== id || known.grant.isRevoked || known.ends <= Date.now()) {
      return refused(400, 'invalid_grant', 'Token has been expired or revoked.');
    }
    return { status: 200, body: this.#issue(known.grant) };
  }

  #exchange(form: URLSearchParams, client: Client): OAuthAnswer {
    const given = form.get('code') ?? '';
    const code = this.#codes.get(given);
    this.#codes.delete(given);
    if (code === undefined || code.grant.client !== client.id) {
      return refused(400, 'invalid_grant', 'Malformed auth code.');
    }
    if (code.redirectUri !== form.get('redirect_uri')) return refused(400, 'redirect_uri_mismatch', 'Bad Request');
    const verifier = form.get('code_verifier');
    if (code.challenge !== null) {
      if (verifier === null) return refused(400, 'invalid_grant', 'Missing code verifier.');
      const made = code.method === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier;
      if (made !== code.challenge) return refused(400, 'invalid_grant', 'Invalid code verifier.');
    }
    const refresh = code.isOffline ? this.#refreshToken(code.grant) : {};
    const isOpenId = code.grant.scopes.includes('openid');
    const idToken = isOpenId ? { id_token: this.#idToken(client.id, code.nonce) } : {};
    return { status: 200, body: { ...this.#issue(code.grant), ...refresh, ...idToken } };
  }

  /** A token of either kind ends its whole grant. */
  revoke(token: string): OAuthAnswer {
    const grant = (this.#access.get(token) ?? this.#refresh.get(token))?.grant;
    if (grant === undefined || grant.isRevoked) return refused(400, 'invalid_token', 'Token expired or revoked');
    grant.isRevoked = true;
    this.#consented.delete(grant.client);
    return { status: 200, body: {} };
  }

  /** The user takes back what was granted. */
  revokeGrants(): void {
    for (const { grant } of [...this.#access.values(), ...this.#refresh.values()]) grant.isRevoked = true;
    this.#consented.clear();
  }

  /** Access tokens end now; refresh tokens bring others. */
  expireAccessTokens(): void {
    for (const token of this.#access.values()) token.expires = 0;
  }

  /** Whether a grant is there. */
  get isGranted(): boolean {
    return [...this.#refresh.values()].some(({ grant }) => !grant.isRevoked);
  }

  /** @param authorization the header @returns null: it is not good (any longer) */
  scopesOf(authorization: string | undefined): readonly string[] | null {
    const token = this.#access.get(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '');
    if (token === undefined || token.grant.isRevoked || token.expires <= Date.now() || token.uses <= 0) return null;
    token.uses -= 1;
    return token.grant.scopes;
  }

  userinfo(): object {
    const { sub, email, name } = this.#user;
    return { sub, name, given_name: name, picture: `${this.#issuer}/photo.png`, email, email_verified: true };
  }

  #issue(grant: Grant): object {
    const access_token = `ya29.${crypto.randomUUID()}`;
    this.#access.set(access_token, { grant, expires: Date.now() + this.lifetime * 1000, uses: this.uses });
    return { access_token, expires_in: this.lifetime, scope: grant.scopes.join(' '), token_type: 'Bearer' };
  }

  #refreshToken(grant: Grant): object {
    const refresh_token = `1//${crypto.randomUUID()}`;
    const seconds = this.refreshLifetime;
    this.#refresh.set(refresh_token, { grant, ends: Date.now() + (seconds ?? Number.POSITIVE_INFINITY) * 1000 });
    return { refresh_token, ...(seconds !== null && { refresh_token_expires_in: seconds }) };
  }

  #idToken(client: string, nonce: string | null): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...{ iss: this.#issuer, aud: client, azp: client, iat: now, exp: now + 3600, ...this.userinfo() },
      ...(nonce !== null && { nonce }),
    };
    const encoded = [{ alg: 'RS256', kid: 'stand-in', typ: 'JWT' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${encoded}.${createSign('sha256').update(encoded).sign(this.#keys.privateKey, 'base64url')}`;
  }
}

const page = (error: string, message: string): OAuthAnswer => ({
  status: 400,
  text: `<html><title>Error 400: ${error}</title><p>${message.replaceAll('<', '&lt;')}</p></html>`,
});
