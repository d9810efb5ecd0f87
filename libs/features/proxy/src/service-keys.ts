import type { IncomingHttpHeaders } from 'node:http';

/** As clients recognise the keys of this server. */
const SERVICE_KEY = /^sm_\S{17,}$/;
const BEARER = /^bearer +/i;
/** A page of the original service prints the second one. */
const OWN_HEADERS = ['x-supermemory-api-key', 'x-supermemory--api-key'];
/** Where clients of providers put their key. */
const CREDENTIALS = ['authorization', 'x-api-key', 'x-goog-api-key'];

/** Whether a value of a header or of the query is a key of this server, which no provider may see. */
export const holdsServiceKey = (value: string): boolean => SERVICE_KEY.test(withoutScheme(value));

/** Whether a header holds the caller's key at the provider. */
export const isCredential = (name: string): boolean => CREDENTIALS.includes(name) || name === 'api-key';

export const withoutScheme = (value: string): string => value.trim().replace(BEARER, '');

/** Returns the key of this server with which a call of a provider is made. Undefined: it has none. */
export function serviceKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const own = OWN_HEADERS.map((name) => headers[name]).find((value) => value !== undefined);
  const found = own ?? CREDENTIALS.map((name) => headers[name]).find((value) => holdsServiceKey(String(value ?? '')));
  return found === undefined ? undefined : withoutScheme(String(found));
}
