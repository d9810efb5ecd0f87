import type { Result } from '#platform/kernel';

/** What a provider says of the person who has signed in. */
export interface Account {
  /** Address of the provider. */
  readonly issuer: string;
  /** Id of the account at the provider, which never changes. */
  readonly subject: string;
  /** Null: the provider does not state one, or has not verified that it is the person's. */
  readonly email: string | null;
  /** Null: not stated. */
  readonly name: string | null;
}

export type OidcRefusal =
  /** The provider does not answer, or not as OpenID Connect says. */
  | 'provider_unreachable'
  /** The person comes back without having left from this browser, too late, or a second time. */
  | 'sign_in_unknown'
  /** The provider or the person has refused. */
  | 'sign_in_denied'
  /** What the provider says does not belong to this sign-in, or is not signed by the provider. */
  | 'sign_in_failed';

/** A sign-in that has begun. */
export interface Departure {
  /** Address of the provider to which the browser goes. */
  readonly url: string;
  /** What the browser has to keep until it comes back. Sealed: it says nothing to anybody else. */
  readonly kept: string;
}

/** A sign-in that has ended. */
export interface Arrival {
  readonly account: Account;
  /** The path that was asked for at the departure. */
  readonly returnTo: string;
}

/** Signs people in by an OpenID Connect provider. Keeps nothing, so that any process can end what another one has begun. */
export interface OidcProvider {
  depart(returnTo: string): Promise<Result<Departure, OidcRefusal>>;
  /**
   * @param kept of the departure; null: the browser has not kept it
   * @param query with which the browser comes back, with the question mark
   */
  arrive(kept: string | null, query: string): Promise<Result<Arrival, OidcRefusal>>;
}

/** Null under this token: nobody signs in by a provider. */
export const OIDC_PROVIDER = Symbol('OidcProvider');
