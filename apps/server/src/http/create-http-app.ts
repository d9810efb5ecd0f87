import type { DynamicModule, NestApplicationOptions, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { API_KEYS, type ApiKeys } from '#features/access';
import { SessionAccess, SessionRepository } from '#features/sessions';
import { asRequest } from '#platform/kernel';
import { TokenCounters } from '#platform/tokens';
import { SessionGuard } from './access/session-guard.ts';
import { ErrorFilter } from './errors/error-filter.ts';
import { refuseSessions } from './mcp/no-sessions.ts';
import { observeRequests } from './observation/observe-requests.ts';
import type { HttpOptions } from './options.ts';
import { serveProxy } from './proxy/proxy-routes.ts';
import { closeInOrder } from './transport/closing.ts';
import { answerBadUrl, guardEdge } from './transport/edge.ts';
import { acceptForms } from './transport/forms.ts';
import { acceptJsonBodies } from './transport/json-body.ts';
import { acceptMultipart } from './transport/multipart.ts';
import { answerParserError, MAX_HEADER_BYTES } from './transport/parser-errors.ts';
import { requestId } from './transport/request-id.ts';
import { InputPipe } from './validation/input-pipe.ts';

/** Fits a tag or customId of 255 characters of three bytes, percent-encoded. */
const MAX_PARAMETER_LENGTH = 4096;
/** Limit for receiving a request. Milliseconds. */
const REQUEST_MILLISECONDS = 300_000;

/**
 * Creates a Nest application on Fastify that follows the contract's conventions (§1); it does not listen yet.
 * @param root a module that imports `HttpModule.using(…)`
 * @throws UndeclaredRouteError at its start for a route that declares no permission
 */
export async function createHttpApp(
  root: Type | DynamicModule,
  options: HttpOptions,
  nest: Omit<NestApplicationOptions, 'bodyParser' | 'cors'> = {},
): Promise<NestFastifyApplication> {
  const { trustedProxies = [] } = options;
  const adapter = new FastifyAdapter({
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    bodyLimit: options.maxBodyBytes,
    requestIdHeader: false,
    genReqId: requestId,
    requestTimeout: REQUEST_MILLISECONDS,
    frameworkErrors: answerBadUrl,
    // Node would answer a request without a host with an empty body.
    http: { requireHostHeader: false, maxHeaderSize: MAX_HEADER_BYTES },
    clientErrorHandler: answerParserError,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH, ignoreTrailingSlash: true },
    multipart: false,
    return503OnClosing: false,
  } as ConstructorParameters<typeof FastifyAdapter>[0]);
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    abortOnError: false,
    ...nest,
    bodyParser: false,
  });
  const instance = adapter.getInstance<FastifyInstance>();
  const keys = app.get<ApiKeys>(API_KEYS, { strict: false });
  const sessions = new SessionGuard({
    access: app.get(SessionAccess, { strict: false }),
    repository: app.get(SessionRepository, { strict: false }),
    http: options,
  });
  guardEdge(instance, { keys, sessions, options });
  observeRequests(instance, options, keys.organizations);
  refuseSessions(instance);
  closeInOrder(instance);
  acceptJsonBodies(instance, options);
  acceptForms(instance);
  await acceptMultipart(instance);
  serveProxy(instance, options, () => ({
    queries: app.get(QueryBus, { strict: false }),
    commands: app.get(CommandBus, { strict: false }),
    tokenCounters: app.get(TokenCounters, { strict: false }),
  }));
  // Not earlier, because what reads the body does not call the handler as part of the request.
  instance.addHook('preValidation', (_request, _reply, done) => asRequest(done));
  app.useGlobalPipes(new InputPipe('ignore'));
  app.useGlobalFilters(new ErrorFilter());
  return app;
}
