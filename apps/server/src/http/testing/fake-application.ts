import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { EntityContexts, MatchingMemories } from '#composition/application';
import { HEALTH_REPORTER } from '#composition/startup';
import { API_KEYS, generateKey, IssuedKeys, Organizations } from '#features/access';
import { UploadLinks } from '#features/documents';
import { AUTHORIZATION_SERVER } from '#features/oauth';
import { KnownQuotas, OrganizationQuotas } from '#features/quotas';
import { Profiles } from '#features/search/use-cases';
import { KnownSessions, SessionAccess, SessionRepository } from '#features/sessions';
import { Team } from '#features/team';
import { systemClock } from '#platform/kernel';
import { OIDC_PROVIDER } from '#platform/oidc';
import { TokenCounters } from '#platform/tokens';
import { EVENT_FEED, type EventFeed } from '#ports/event-feed';
import type { Position } from '#ports/event-store';
import { MemoryRateLimiter } from '#ports/rate-limit';
import { issuedKey } from '../../../../../libs/features/access/src/testing.ts';
import { createHttpApp, DEFAULT_MAX_BODY_BYTES, HttpModule, type HttpOptions } from '../index.ts';
import { type FakeApplication, HEALTH, handlersOf, initialFake } from './fake-handlers.ts';
import { ORGANIZATION } from './fixtures.ts';

export interface TestApp {
  readonly app: NestFastifyApplication;
  readonly fake: FakeApplication;
  readonly secret: string;
  /** The header with the key. */
  readonly withKey: { readonly authorization: string };
  readonly options: HttpOptions;
  /** Sends a request with the key. */
  readonly call: (
    method: string,
    url: string,
    payload?: string | object | Buffer,
    headers?: Record<string, string>,
  ) => Promise<TestAnswer>;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Record<string, string | number | string[] | undefined>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape, looked into by the tests
  readonly body: any;
}

@Global()
@Module({})
class FakeModule {}

/** Starts the real edge on top of a fake application. */
export async function startTestApp(
  overrides: Partial<HttpOptions> = {},
  extra: Pick<DynamicModule, 'controllers'> = {},
): Promise<TestApp> {
  const fake = initialFake();
  const own = overrides.uploadFolder === undefined ? mkdtempSync(join(tmpdir(), 'mneme-http-')) : null;
  const options: HttpOptions = {
    rateLimiter: new MemoryRateLimiter(),
    maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
    maxStreams: 100,
    uploadFolder: own ?? '',
    name: 'mneme',
    version: '1.2.3',
    ...overrides,
  };
  const { secret, hash } = generateKey(ORGANIZATION);
  const keys = new IssuedKeys([issuedKey({ organization: ORGANIZATION, hash })]);
  const sessions = new KnownSessions();
  const access = new SessionAccess({ sessions, keys, members: new Team(), clock: systemClock });
  const feed: EventFeed = {
    storeId: 'store-1',
    positionOf: async (text) => (/^\d{1,10}$/.test(text) ? (text as Position) : null),
    follow: (...args) => fake.follow(...args),
  };
  const fakes: DynamicModule = {
    module: FakeModule,
    imports: [CqrsModule.forRoot()],
    providers: [
      ...handlersOf(fake),
      ...[EntityContexts, MatchingMemories, Profiles],
      { provide: API_KEYS, useValue: keys },
      { provide: EVENT_FEED, useValue: feed },
      { provide: HEALTH_REPORTER, useValue: HEALTH },
      { provide: Team, useValue: new Team() },
      { provide: KnownSessions, useValue: sessions },
      { provide: SessionAccess, useValue: access },
      // No test of the edge alone has a cookie.
      { provide: SessionRepository, useValue: {} },
      { provide: OIDC_PROVIDER, useValue: null },
      {
        provide: TokenCounters,
        useValue: { of: () => async (texts: readonly string[]) => texts.map(({ length }) => length) },
      },
      { provide: AUTHORIZATION_SERVER, useValue: null },
      { provide: KnownQuotas, useValue: new KnownQuotas() },
      { provide: OrganizationQuotas, useValue: { usage: async () => null } },
      { provide: Organizations, useValue: { nameOf: async () => 'Acme' } },
      { provide: UploadLinks, useValue: { read: async () => null } },
    ],
    exports: [
      API_KEYS,
      EVENT_FEED,
      HEALTH_REPORTER,
      Team,
      KnownSessions,
      SessionAccess,
      SessionRepository,
      OIDC_PROVIDER,
      TokenCounters,
      AUTHORIZATION_SERVER,
      KnownQuotas,
      OrganizationQuotas,
      Organizations,
      UploadLinks,
      EntityContexts,
      MatchingMemories,
      Profiles,
    ],
  };
  const root: DynamicModule = {
    module: class Root {},
    imports: [HttpModule.using({ options, imports: [fakes] })],
    ...extra,
  };
  const app = await createHttpApp(root, options, { logger: false });
  if (own !== null) {
    const removed = async () => rm(own, { recursive: true });
    app.getHttpAdapter().getInstance().addHook('onClose', removed);
  }
  await app.init();
  await app.getHttpAdapter().getInstance().ready();

  const withKey = { authorization: `Bearer ${secret}` };
  const call: TestApp['call'] = async (method, url, payload, headers = {}) => {
    const answer = await app.inject({
      method: method as 'GET',
      url,
      headers: { ...withKey, ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    return { status: answer.statusCode, headers: answer.headers, text: answer.body, body: parsed(answer.body) };
  };
  return { app, fake, secret, withKey, options, call };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Listens on a free port and returns the base URL. */
export async function listen({ app }: TestApp): Promise<string> {
  await app.listen(0, '127.0.0.1');
  return `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
}
