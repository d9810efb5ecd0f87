import type { KeyClient, KeyLimits } from '#features/access';
import { err, type OrganizationId, ok, type Result, type Role } from '#platform/kernel';
import type { OAuthClient } from './clients.ts';
import { isOneOf } from './redirect-uris.ts';
import { type Access, accessIn } from './scopes.ts';

/** What an application asks for (RFC 6749, RFC 7636, RFC 8707). */
export interface AuthorizationWish {
  readonly clientId: string;
  readonly redirectUri: string;
  /** Of the verifier that the application keeps. */
  readonly challenge: string;
  /** Given back to the application as it is. Null: it has none. */
  readonly state: string | null;
  readonly scope: string | undefined;
  readonly resource: string | undefined;
}

/** An application asks a person, who has not answered yet. Sealed for the page that asks. */
export interface PendingAuthorization {
  readonly client: KeyClient;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly state: string | null;
  readonly access: Access;
  /** The session to which it was shown. */
  readonly session: string;
  /** Milliseconds since the Unix epoch. */
  readonly until: number;
}

/** A person has agreed; the application gets it sealed, as a code that counts once. */
export interface AgreedAuthorization {
  readonly organization: OrganizationId;
  /** Of the key to issue. */
  readonly id: string;
  readonly client: KeyClient;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly role: Role;
  readonly member?: string;
  readonly parent?: string;
  readonly limits: KeyLimits;
  readonly access: Access;
  /** Who has agreed, as events name it. */
  readonly actor: string;
  /** Milliseconds since the Unix epoch. */
  readonly until: number;
}

export type AuthorizationRefusal = 'redirect_uri_unknown' | 'other_resource' | 'scope_unknown';

/** Checks a request against its client. @param resource address of the tool server */
export function checkWish(
  wish: AuthorizationWish,
  client: OAuthClient,
  resource: string,
): Result<{ readonly access: Access }, AuthorizationRefusal> {
  if (!isOneOf(client.redirectUris, wish.redirectUri)) return err('redirect_uri_unknown');
  if (!isResource(wish.resource, resource)) return err('other_resource');
  const access = accessIn(wish.scope);
  return access === null ? err('scope_unknown') : ok({ access });
}

/** Whether a request is for the tool server, or for nothing else. */
export const isResource = (named: string | undefined, resource: string): boolean =>
  named === undefined || named.replace(/\/$/, '') === resource;

/** The address to which the browser goes back, with the answer. @param issuer of this server (RFC 9207) */
export function answerAddress(
  { redirectUri, state }: Pick<PendingAuthorization, 'redirectUri' | 'state'>,
  issuer: string,
  answer: { readonly code: string } | { readonly error: string; readonly error_description: string },
): string {
  const url = new URL(redirectUri);
  const all = { ...answer, ...(state !== null && { state }), iss: issuer };
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
  return url.href;
}
