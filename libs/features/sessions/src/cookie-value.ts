import { createHmac, timingSafeEqual } from 'node:crypto';
import { IDLE_MS, type Session } from './session.ts';

const MINUTE_MS = 60_000;
/** `<id of the session>.<secret>.<minute in which it was last seen>.<signature>` */
const FORM = /^([\w-]{1,64})\.([\w-]{43})\.([0-9a-z]{1,8})\.([\w-]{43})$/;

/** What a cookie says. */
export interface CookieValue {
  readonly id: string;
  readonly secret: string;
  /** Minutes since the Unix epoch. */
  readonly minute: number;
  readonly signature: string;
}

/** Null: it is no value of a cookie. */
export function readCookieValue(text: string): CookieValue | null {
  const [, id, secret, minute, signature] = FORM.exec(text) ?? [];
  if (id === undefined || secret === undefined || minute === undefined || signature === undefined) return null;
  return { id, secret, minute: Number.parseInt(minute, 36), signature };
}

/**
 * The value of a cookie that is seen now. The server keeps no record of when it was: the cookie tells it, signed, so that it
 * needs neither an event for each request nor a store that processes share.
 * @param now milliseconds since the Unix epoch
 */
export function cookieValue({ id, seal }: Pick<Session, 'id' | 'seal'>, secret: string, now: number): string {
  const minute = minuteOf(now);
  return `${id}.${secret}.${minute.toString(36)}.${signatureOf({ id, seal }, secret, minute)}`;
}

/** Whether the cookie was seen so lately that it counts, and `stale` if not within this minute. */
export function isSeen(
  { secret, minute, signature }: CookieValue,
  session: Pick<Session, 'id' | 'seal'>,
  now: number,
): 'fresh' | 'stale' | null {
  const expected = Buffer.from(signatureOf(session, secret, minute));
  const given = Buffer.from(signature);
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) return null;
  if (now - minute * MINUTE_MS >= IDLE_MS) return null;
  return minuteOf(now) === minute ? 'fresh' : 'stale';
}

const minuteOf = (now: number): number => Math.floor(now / MINUTE_MS);

const signatureOf = ({ id, seal }: Pick<Session, 'id' | 'seal'>, secret: string, minute: number): string =>
  createHmac('sha256', seal).update(`${id}.${secret}.${minute}`).digest('base64url');
