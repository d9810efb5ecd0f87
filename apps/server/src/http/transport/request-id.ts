import type { IncomingMessage } from 'node:http';
import { newId } from '#kernel';

/** What may be echoed into a header and a log line without a second thought. */
const ECHOED = /^[\w.:/+=@-]{1,128}$/;

export function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && ECHOED.test(given) ? given : newId();
}
