import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { newId } from '#platform/kernel';
import { ApiError, STATUS_OF } from '../errors/api-error.ts';
import { errorBody } from '../errors/error-body.ts';

/** An error of Node's HTTP parser. */
interface ParserError extends Error {
  readonly code?: string;
  /** What is wrong, in the words of the parser. */
  readonly reason?: string;
}

/** Limit of a URL with its headers. */
export const MAX_HEADER_BYTES = 16_384;

/** For the client to send the rest and to read the answer: if the connection is closed while it sends, it reads none. */
const CLOSE_MS = 10_000;

/**
 * Answers a request that Node's HTTP parser refuses with the error body of the contract (§1.4), and ends the connection.
 * Fastify knows no request then, so neither hooks nor the error filter run.
 */
export function answerParserError(error: ParserError, socket: Socket): void {
  // The parser reports each further chunk of a connection that has failed.
  if (!socket.writable) return;
  if (isAnswered(socket)) {
    socket.destroySoon();
    return;
  }
  socket.end(answerOf(apiErrorOf(error)));
  const timer = setTimeout(() => socket.destroy(), CLOSE_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** Whether the client would take the answer for that to a request which has been received, or for the rest of an answer. */
function isAnswered(socket: Socket): boolean {
  // Node's own handler looks at this property, too.
  const { _httpMessage: open } = socket as { _httpMessage?: ServerResponse | null };
  return open != null && (open.headersSent || open.req.complete);
}

function apiErrorOf({ code, reason }: ParserError): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('headers_too_large', `The URL and the headers are larger than ${MAX_HEADER_BYTES} bytes`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('request_timeout', 'The request was not complete in time');
    default:
      return new ApiError('invalid_request', `The request is not valid HTTP${reason ? `: ${reason}` : ''}`);
  }
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

function answerOf(error: ApiError): string {
  const status = STATUS_OF[error.code];
  const requestId = newId();
  const body = JSON.stringify(errorBody(error, requestId));
  const lines = [
    `HTTP/1.1 ${status} ${REASONS[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'cache-control: no-store',
    'connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
