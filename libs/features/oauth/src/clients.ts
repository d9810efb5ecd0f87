import { err, ok, type Result } from '#platform/kernel';
import { isRedirectUri } from './redirect-uris.ts';

/** An application that asks people for access. */
export interface OAuthClient {
  /** Address of its metadata, or id of its registration. */
  readonly id: string;
  readonly name: string;
  /** Null: the application has registered itself, so nobody says whose it is. */
  readonly address: string | null;
  readonly redirectUris: readonly string[];
}

/** What an application says of itself. */
export type ClientMetadata = Pick<OAuthClient, 'name' | 'redirectUris'>;

const MAX_NAME = 100;
const MAX_REDIRECT_URIS = 10;
/** Of all redirect URIs: they are a part of the id that a registration gives. */
const MAX_REDIRECT_LENGTH = 1_000;

/** Whether the id of a client is the address of its metadata. */
export function isDocumentAddress(clientId: string): boolean {
  const url = URL.parse(clientId);
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') return false;
  return url.pathname !== '/' && !/[?#]/.test(clientId) && url.href === clientId;
}

/** Null: applications may not have these. */
export function redirectUrisOf(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_REDIRECT_URIS) return null;
  const isEach = value.every((one): one is string => typeof one === 'string' && isRedirectUri(one));
  return isEach && value.join('').length <= MAX_REDIRECT_LENGTH ? value : null;
}

/**
 * Reads the metadata of a client at an address. The error is a sentence.
 * @param document as JSON of any shape
 */
export function readDocument(address: string, document: unknown): Result<ClientMetadata, string> {
  if (typeof document !== 'object' || document === null) return err('it is no JSON object');
  const fields = document as Readonly<Record<string, unknown>>;
  if (fields.client_id !== address) return err('its client_id is another address');
  if ((fields.token_endpoint_auth_method ?? 'none') !== 'none' || 'client_secret' in fields) {
    return err('only clients without a secret are accepted: token_endpoint_auth_method must be none');
  }
  const redirectUris = redirectUrisOf(fields.redirect_uris);
  if (redirectUris === null) return err(REDIRECT_URIS);
  return ok({ name: nameOf(fields.client_name, new URL(address).host), redirectUris });
}

export const REDIRECT_URIS = `redirect_uris must be 1 to ${MAX_REDIRECT_URIS} addresses with https, with http of loopback, or with a scheme of a program`;

/** A name for people: control characters, and those that turn the direction of a line, are left out. */
export function nameOf(value: unknown, fallback: string): string {
  if (typeof value !== 'string') return fallback;
  const name = value
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  return name === '' ? fallback : [...name].slice(0, MAX_NAME).join('');
}
