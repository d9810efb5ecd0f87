import type { FastifyReply } from 'fastify';

const FORMER = '/v3/memories';
const CURRENT = '/v3/documents';

/**
 * Where a request of the former path family belongs, from the raw URL so that its encoding and query stay as they were
 * (contract §1.7). Null: not of that family.
 */
export function currentPath(url: string): string | null {
  if (!url.startsWith(FORMER)) return null;
  const next = url[FORMER.length];
  return next === undefined || next === '/' || next === '?' ? CURRENT + url.slice(FORMER.length) : null;
}

/** 308 keeps method and body; the path-absolute Location keeps the key, which clients drop on another origin. */
export function redirect(reply: FastifyReply, location: string): void {
  void reply.code(308).header('location', location).send();
}
