import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SessionAccess, SessionRepository, SignedIn } from '#features/sessions';
import { actorOf, type Principal } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { ApiError } from '../errors/api-error.ts';
import type { HttpOptions } from '../options.ts';
import { heardOf } from './heard-of.ts';
import { isOfOwnPage, readCookie, setCookie } from './session-cookie.ts';

/** Routes of these take the cookie; all others do not notice it. */
const ROUTES = /^\/(v[34]|oauth)\//;

export interface SessionGuardOptions {
  readonly access: SessionAccess;
  readonly repository: Pick<SessionRepository, 'rotate'>;
  readonly http: Pick<HttpOptions, 'publicUrl' | 'hasOtherProcesses'>;
}

/** Says who makes a request with the cookie of a session. */
export class SessionGuard {
  readonly #options: SessionGuardOptions;

  constructor(options: SessionGuardOptions) {
    this.#options = options;
  }

  /** Returns the cookie of a request that counts by it. Null: it counts by something else. */
  cookieOf(request: FastifyRequest): string | null {
    const { url, config } = request.routeOptions;
    if (request.headers.authorization || config.keyOf !== undefined || !ROUTES.test(url ?? '')) return null;
    return readCookie(request, this.#options.http, 'mneme_session');
  }

  /**
   * Returns who makes the request, and gives the browser another cookie where that is due.
   * @throws ApiError if it is not from a page of this server, or the session is over
   */
  async principalOf(cookie: string, request: FastifyRequest, reply: FastifyReply): Promise<Principal> {
    const { access, repository, http } = this.#options;
    if (!isOfOwnPage(request, http)) throw foreignPage();
    const signedIn = await this.#signedIn(cookie);
    if (signedIn === null) throw sessionOver();
    const { principal, session, isRotationDue, renewed } = signedIn;
    const rotated = isRotationDue
      ? await repository.rotate(session, principal, requestCause(actorOf(principal)))
      : null;
    const value = rotated?.cookie ?? renewed;
    if (value !== null) setCookie(reply, http, 'mneme_session', value);
    return rotated === null ? principal : (access.principalOf(rotated.session) ?? principal);
  }

  /** Another process may have given the cookie a moment ago, of which this one hears within a second. */
  async #signedIn(cookie: string): Promise<SignedIn | null> {
    const { access, http } = this.#options;
    const look = () => {
      const signedIn = access.authenticate(cookie);
      const mayCome = signedIn === null && http.hasOtherProcesses === true && access.mayBeNew(cookie);
      return mayCome ? null : { signedIn };
    };
    return (await heardOf(look))?.signedIn ?? null;
  }
}

/** @throws ApiError unless a page of this server makes the request */
export function requireOwnPage(request: FastifyRequest, options: Pick<HttpOptions, 'publicUrl'>): void {
  if (!isOfOwnPage(request, options)) throw foreignPage();
}

const foreignPage = (): ApiError =>
  new ApiError(
    'forbidden',
    'A request for a session that changes something needs the header Origin with the address of the server, as its own pages send it',
    'Origin',
  );

const sessionOver = (): ApiError =>
  new ApiError('unauthorized', 'The session has ended: sign in again', null, { 'www-authenticate': 'Bearer' });
