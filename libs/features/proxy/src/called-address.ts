import { err, ok, type Result } from '#platform/kernel';
import { isBelow, type Provider, type Providers } from './providers.ts';
import { holdsServiceKey } from './service-keys.ts';

export interface CalledAddress {
  readonly provider: Provider;
  readonly url: URL;
  /** The query has a key for the provider. */
  readonly hasKey: boolean;
  /** `userId` of the query, which the provider does not get. Null: there is none. */
  readonly userId: string | null;
}

/** `no_address`: it is none. `host_forbidden`: no provider is there. */
export type AddressRefusal = 'no_address' | 'host_forbidden' | 'unknown_provider' | 'provider_forbidden';

const NAMED = '/proxy/';
const AT_ADDRESS = '/v3/';

/**
 * Returns what a request calls: `/proxy/<name>/<path>` or `/v3/<address>`, of which routers before this server may have joined
 * the slashes, and which may be percent-encoded. The query follows, without `userId` and keys of this server.
 * @param requested path and query as they were sent
 */
export function calledAddress(
  requested: string,
  organization: string,
  providers: Providers,
): Result<CalledAddress, AddressRefusal> {
  const [path, query] = splitAt(requested, '?');
  if (path.startsWith(NAMED)) {
    const [name, rest] = splitAt(path.slice(NAMED.length), '/');
    const provider = providers.named(name, organization);
    if (provider === 'unknown') return err('unknown_provider');
    if (provider === 'forbidden') return err('provider_forbidden');
    const url = URL.parse(provider.base + (rest === '' ? '' : `/${rest}`));
    return url !== null && isBelow(url, provider) ? ok(withQuery(provider, url, query)) : err('no_address');
  }
  const address = plainAddress(path.slice(AT_ADDRESS.length));
  const [base, inner] = splitAt(address ?? '', '?');
  const url = URL.parse(base);
  if (url === null || url.username !== '' || url.password !== '') return err('no_address');
  const provider = providers.at(url, organization);
  if (provider === null) return err('host_forbidden');
  return ok(withQuery(provider, url, [inner, query].filter((part) => part !== '').join('&')));
}

/** Null: its percent-encoding is malformed. */
function plainAddress(text: string): string | null {
  try {
    const plain = /^https?%3a/i.test(text) ? decodeURIComponent(text) : text;
    return plain.replace(/^(https?):\/*/i, '$1://');
  } catch {
    return null;
  }
}

function withQuery(provider: Provider, url: URL, query: string): CalledAddress {
  let userId: string | null = null;
  let hasKey = false;
  const kept = query.split('&').filter((pair) => {
    const [name, value] = splitAt(pair, '=').map(decoded) as [string, string];
    if (name === 'userId' && userId === null) userId = value;
    const passes = name !== 'userId' && !holdsServiceKey(value);
    hasKey ||= passes && name === 'key';
    return passes;
  });
  url.search = kept.join('&');
  url.hash = '';
  return { provider, url, hasKey, userId: userId === '' ? null : userId };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function splitAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}
