import * as client from 'openid-client';
import { type Clock, err, ok, type Result } from '#platform/kernel';
import { TextSeal } from '#platform/sealing';
import type { Account, Arrival, Departure, OidcProvider, OidcRefusal } from './oidc-provider.ts';

export interface OidcOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the provider sends people back to. */
  readonly callbackUrl: string;
  readonly clock: Clock;
  readonly logger: { warn(message: string): void };
}

/** How long a person may take at the provider. Milliseconds. */
const AWAY_MS = 10 * 60_000;
/** For each request to the provider. Seconds. */
const TIMEOUT_S = 10;

/** As of what callers send. Characters. */
const MAX_EMAIL = 254;
const MAX_NAME = 200;

/** What is kept by the browser, sealed. */
interface Kept {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
  /** Milliseconds since the Unix epoch. */
  readonly until: number;
}

/** Asks the provider only when somebody signs in, so that a start does not need it. */
export class OpenIdProvider implements OidcProvider {
  readonly #options: OidcOptions;
  readonly #seal: TextSeal;
  #configuration: Promise<client.Configuration> | null = null;

  constructor(options: OidcOptions) {
    this.#options = options;
    this.#seal = new TextSeal(options.clientSecret, 'sign-in');
  }

  async depart(returnTo: string): Promise<Result<Departure, OidcRefusal>> {
    const configuration = await this.#configured();
    if (configuration === null) return err('provider_unreachable');
    const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
    const url = client.buildAuthorizationUrl(configuration, {
      ...{ redirect_uri: this.#options.callbackUrl, scope: 'openid email profile', state, nonce },
      ...{ code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    });
    const kept: Kept = { state, nonce, verifier, returnTo, until: this.#options.clock.now() + AWAY_MS };
    return ok({ url: url.href, kept: this.#seal.seal(JSON.stringify(kept)) });
  }

  async arrive(sealed: string | null, query: string): Promise<Result<Arrival, OidcRefusal>> {
    const kept = sealed === null ? null : this.#opened(sealed);
    if (kept === null || new URLSearchParams(query).get('state') !== kept.state) return err('sign_in_unknown');
    const configuration = await this.#configured();
    if (configuration === null) return err('provider_unreachable');
    try {
      const account = await this.#accountOf(configuration, kept, query);
      return ok({ account, returnTo: kept.returnTo });
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== 'sign_in_denied') this.#options.logger.warn(`A sign-in has failed: ${reasonOf(error)}`);
      return err(refusal);
    }
  }

  async #accountOf(configuration: client.Configuration, kept: Kept, query: string): Promise<Account> {
    const tokens = await client.authorizationCodeGrant(configuration, new URL(this.#options.callbackUrl + query), {
      ...{ pkceCodeVerifier: kept.verifier, expectedState: kept.state, expectedNonce: kept.nonce },
      idTokenExpected: true,
    });
    const claims = tokens.claims() as client.IDToken;
    const { iss: issuer, sub: subject } = claims;
    // Many providers state the address only where it is asked for with the access token.
    const isStated = claims.email !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined;
    const person = isStated ? claims : await client.fetchUserInfo(configuration, tokens.access_token, subject);
    const { email, email_verified: isVerified, name } = person;
    return {
      ...{ issuer, subject },
      email: isVerified === true ? textOf(email, MAX_EMAIL) : null,
      name: textOf(name, MAX_NAME),
    };
  }

  #opened(sealed: string): Kept | null {
    const text = this.#seal.open(sealed);
    const kept = text === null ? null : (JSON.parse(text) as Kept);
    return kept !== null && this.#options.clock.now() < kept.until ? kept : null;
  }

  /** Null: the provider does not answer; the next sign-in asks again. */
  async #configured(): Promise<client.Configuration | null> {
    this.#configuration ??= this.#discover();
    try {
      return await this.#configuration;
    } catch (error) {
      this.#configuration = null;
      this.#options.logger.warn(`The provider of sign-ins cannot be asked: ${reasonOf(error)}`);
      return null;
    }
  }

  async #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const configuration = await client.discovery(
      new URL(issuer),
      clientId,
      clientSecret,
      authenticationBy(clientSecret),
      {
        execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : [],
        timeout: TIMEOUT_S,
      },
    );
    client.enableNonRepudiationChecks(configuration);
    return configuration;
  }
}

/** How this server names itself: in the header, unless the provider accepts only the body. */
function authenticationBy(clientSecret: string): client.ClientAuth {
  const [inHeader, inBody] = [client.ClientSecretBasic(clientSecret), client.ClientSecretPost(clientSecret)];
  return (provider, ...request) => {
    // As the standard says where nothing is stated.
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = provider;
    const authenticate = methods.includes('client_secret_basic') ? inHeader : inBody;
    authenticate(provider, ...request);
  };
}

/** Null: it is no text of at most so many characters. */
const textOf = (value: unknown, max: number): string | null =>
  typeof value === 'string' && value !== '' && value.length <= max ? value.toWellFormed() : null;

function refusalOf(error: unknown): OidcRefusal {
  if (error instanceof client.AuthorizationResponseError) return 'sign_in_denied';
  if (error instanceof client.ResponseBodyError) return 'sign_in_failed';
  if (!(error instanceof client.ClientError)) return 'provider_unreachable';
  const isOut = error.code === 'OAUTH_TIMEOUT' || (error.cause instanceof Response && error.cause.status >= 500);
  return isOut ? 'provider_unreachable' : 'sign_in_failed';
}

/** For the log of the operator. It holds neither a code nor a token. */
function reasonOf(error: unknown): string {
  if (error instanceof client.ResponseBodyError) return `${error.error} ${error.error_description ?? ''}`.trim();
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Response) return `${error.message} (${cause.status})`;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}
