import type { FastifyReply, FastifyRequest } from 'fastify';
import { TOTAL_MS } from '#features/sessions';
import type { HttpOptions } from '../options.ts';
import { isOverNats } from '../transport/over-nats.ts';

/** What a browser keeps: a session, or a sign-in that has begun. */
export type CookieName = 'mneme_session' | 'mneme_sign_in';

type Address = Pick<HttpOptions, 'publicUrl'>;

const SECONDS: Readonly<Record<CookieName, number>> = { mneme_session: TOTAL_MS / 1_000, mneme_sign_in: 600 };

/** The origin of the pages of this server: by the setting, else as the request was sent. */
const ownOrigin = ({ protocol, host }: FastifyRequest, { publicUrl }: Address): string =>
  publicUrl ? new URL(publicUrl).origin : `${protocol}://${host}`;

/**
 * Whether a request is one that a page of this server makes, or one that changes nothing. Browsers send the header with every
 * other request, and no page can choose it.
 */
export function isOfOwnPage(request: FastifyRequest, options: Address): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return true;
  return request.headers.origin === ownOrigin(request, options);
}

/** Returns the value of a cookie. Null: the request has none. */
export function readCookie(request: FastifyRequest, options: Address, name: CookieName): string | null {
  const { cookie } = request.headers;
  if (cookie === undefined || isOverNats(request)) return null;
  const prefix = `${nameOf(request, options, name)}=`;
  const pair = cookie.split(';').find((each) => each.trim().startsWith(prefix));
  return pair === undefined ? null : pair.trim().slice(prefix.length);
}

/** Has the browser keep a value. Empty: it keeps none any more. */
export function setCookie(reply: FastifyReply, options: Address, name: CookieName, value: string): void {
  const { request } = reply;
  const seconds = value === '' ? 0 : SECONDS[name];
  const secure = isSecure(request, options) ? '; Secure' : '';
  reply.header(
    'set-cookie',
    `${nameOf(request, options, name)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`,
  );
}

const isSecure = (request: FastifyRequest, options: Address): boolean =>
  ownOrigin(request, options).startsWith('https:');

/** Browsers accept the prefix only from the host itself over https, so that no neighbour can plant the cookie. */
const nameOf = (request: FastifyRequest, options: Address, name: CookieName): string =>
  isSecure(request, options) ? `__Host-${name}` : name;
