import type { FastifyReply } from 'fastify';

const FORMER = '/v3/memories';
const CURRENT = '/v3/documents';

/**
 * Returns the current URL for one of the former path family, with encoding and query unchanged (contract §1.7), or null
 * for any other.
 */
export function currentPath(url: string): string | null {
  if (!url.startsWith(FORMER)) return null;
  const next = url[FORMER.length];
  return next === undefined || next === '/' || next === '?' ? CURRENT + url.slice(FORMER.length) : null;
}

/** 308 keeps method and body; the path-absolute Location keeps the origin, without which clients drop the key. */
export function redirect(reply: FastifyReply, location: string): void {
  void reply.code(308).header('location', location).send();
}
