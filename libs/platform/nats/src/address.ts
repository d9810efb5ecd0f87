import { NatsAddressError } from './errors.ts';

export interface NatsAddress {
  /** `host:port` of each server in the address. */
  readonly servers: readonly string[];
  readonly user: string | null;
  readonly password: string | null;
  /** The text before the `@` if it contains no colon. */
  readonly token: string | null;
  /** Path of a credentials file (JWT and seed). */
  readonly credentialsFile: string | null;
  /** Whether connections must be encrypted. */
  readonly tls: boolean;
}

const PORT = '4222';

/**
 * Parses `nats://[user:password@|token@]host[:port][,host[:port]…][?credentials=/path/of/file]`; `tls://` requires
 * encryption. Servers after the first may have a scheme.
 * @throws NatsAddressError, without the credentials
 */
export function parseNatsUrl(text: string): NatsAddress {
  const [first, ...others] = text.split(',').map((one) => one.trim());
  const url = urlOf(first ?? '');
  const query = urlOf(others.at(-1) ?? first ?? '').searchParams;
  for (const name of query.keys()) {
    if (name !== 'credentials') throw new NatsAddressError(`The NATS address has an unknown parameter: ${name}`);
  }
  const [user, password] = [decodeURIComponent(url.username) || null, decodeURIComponent(url.password) || null];
  return {
    servers: [url, ...others.map(urlOf)].map(({ hostname, port }) => `${hostname}:${port || PORT}`),
    user: password === null ? null : user,
    password,
    token: password === null ? user : null,
    credentialsFile: query.get('credentials'),
    tls: url.protocol === 'tls:',
  };
}

function urlOf(text: string): URL {
  const url = URL.parse(/^[a-z]+:\/\//.test(text) ? text : `nats://${text}`);
  if (url === null || url.hostname === '' || !['nats:', 'tls:'].includes(url.protocol)) {
    throw new NatsAddressError('The NATS address must look like nats://user:password@host:4222 or tls://host:4222');
  }
  return url;
}
