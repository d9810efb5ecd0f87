import { Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rpcErrorBody } from '../mcp/rpc.ts';
import { oauthErrorBody } from '../oauth/oauth-error.ts';
import { ApiError, type ErrorCode, STATUS_OF } from './api-error.ts';
import { errorBody } from './error-body.ts';
import { refusalOf, transientAnswer } from './refusals.ts';

const logger = new Logger('Http');

const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'payload_too_large',
  429: 'rate_limited',
};

const HIDDEN = 'Something went wrong on the server';

/** Errors of Nest have `status`, those of Fastify `statusCode`. */
function statusOf(error: object): number | null {
  const { status, statusCode } = error as { status?: unknown; statusCode?: unknown };
  const found = statusCode ?? status;
  return typeof found === 'number' && found >= 400 && found < 500 ? found : null;
}

function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const known = transientAnswer(error) ?? refusalOf(error);
  if (known !== null) return known;
  const status = error instanceof Error ? statusOf(error) : null;
  if (status === null) return new ApiError('internal', HIDDEN);
  if (status === 415) return new ApiError('invalid_request', 'Content-Type must be application/json', 'Content-Type');
  return new ApiError(BY_STATUS[status] ?? 'invalid_request', (error as Error).message);
}

/** Returns the answer to any error, and logs it if nothing of it may be shown. @param place where it was met */
export function answerTo(error: unknown, place: string): ApiError {
  const answer = apiErrorOf(error);
  if (answer.code === 'internal') logger.error(`${place}: ${describe(error)}`);
  return answer;
}

/** Sends the error body of the contract (§1.4), or that of a route with messages of JSON-RPC or of OAuth. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  const answer = answerTo(error, `${request.method} ${request.routeOptions?.url ?? ''} ${request.id}`);
  // After the headers, only a broken connection shows the client that the answer is incomplete.
  if (reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  // Fastify closes the connection after a parser error; with the body read it stays usable. A 413 may leave a part unread.
  if (request.raw.complete) reply.removeHeader('connection');
  else if (answer.code === 'payload_too_large') reply.header('connection', 'close');
  reply.errorCode = answer.code;
  for (const name in answer.headers) reply.header(name, answer.headers[name]);
  void reply
    .code(STATUS_OF[answer.code])
    .header('content-type', 'application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(bodyOf(answer, request));
}

function bodyOf(answer: ApiError, request: FastifyRequest): object {
  const { isRpc, isOAuth } = request.routeOptions?.config ?? {};
  if (isRpc === true) return rpcErrorBody(answer, request);
  return isOAuth === true ? oauthErrorBody(answer, request.id) : errorBody(answer, request.id);
}

const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
