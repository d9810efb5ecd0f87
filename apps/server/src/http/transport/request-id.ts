import type { IncomingMessage } from 'node:http';
import { newId } from '#platform/kernel';

/** Ids that are safe in a header and in a log line. */
const ECHOED = /^[\w.:/+=@-]{1,128}$/;

export function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && ECHOED.test(given) ? given : newId();
}
