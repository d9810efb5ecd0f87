import type { AddressInfo } from 'node:net';
import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApplicationModule } from '#composition/application';
import type { Edge, ServerRuntime } from '#composition/startup';
import type { NatsConnection } from '#platform/nats';
import { translateListenError, urlOf } from '#platform/telemetry';
import { Stages, StagesController } from '#processing/pipeline';
import { createHttpApp, HttpModule, type HttpOptions } from './http/index.ts';

/** Creates the application around a runtime; its work has its handlers, and HTTP does not listen yet. */
export async function createServerApp(runtime: ServerRuntime): Promise<NestFastifyApplication> {
  const { config, version, logger, metrics, uploadFolder, work, rateLimiter, keyUses, analytics, providers } = runtime;
  const application = ApplicationModule.of(runtime);
  const http: HttpOptions = {
    rateLimiter,
    rateLimit: config.rateLimit,
    keyUses,
    installationKey: config.installationKey,
    analytics,
    maxBodyBytes: config.maxBodyBytes,
    maxStreams: config.maxStreams,
    uploadFolder,
    publicUrl: config.publicUrl,
    hosts: config.hosts,
    origins: config.origins,
    trustedProxies: config.trustedProxies,
    hasOtherProcesses: config.eventStoreUrl !== null,
    proxy: providers && {
      providers,
      connections: { allow: [], loopback: config.fetchLoopback === 'on', proxy: config.fetchProxy },
      maxBodyBytes: config.proxyBodyBytes,
      maxContextTokens: config.proxyContextTokens,
      memoryMs: config.proxyMemoryMs,
    },
    name: 'mneme',
    version,
    logger,
    metrics,
  };

  @Module({
    imports: [HttpModule.using({ options: http, imports: [application] })],
    controllers: work === null ? [] : [StagesController],
    providers: work === null ? [] : [{ provide: Stages, useValue: work.background.pipeline.stages }],
  })
  class ServerModule {}

  const app: NestFastifyApplication = await createHttpApp(ServerModule, http, { logger: logger.forNest() });
  if (work !== null) {
    app.connectMicroservice({ strategy: work.strategy });
    await app.startAllMicroservices();
  }
  return app;
}

/** Opens HTTP and, if there is one, NATS around a runtime. */
export async function openEdge(runtime: ServerRuntime): Promise<Edge> {
  const { config, logger, parts } = runtime;
  const app = await createServerApp(runtime);
  const { nats } = parts.storage;
  let overNats: { close(): Promise<void> } | null = null;

  /** The driver is loaded only in a process that has NATS. */
  async function answerOverNats(connection: NatsConnection) {
    const { NatsApi } = await import('./nats/nats-api.ts');
    return new NatsApi({ connection, http: app, logger, prefix: config.prefix });
  }

  return {
    listen: async () => {
      await app.init();
      const { host, port } = config;
      // Nest's own `listen` would log a failure that the caller reports.
      const instance = app.getHttpAdapter().getInstance();
      await instance.listen({ host, port }).catch((error) => {
        throw translateListenError(error, { host, port });
      });
      if (nats !== null) overNats = await answerOverNats(nats);
      return urlOf(instance.server.address() as AddressInfo);
    },
    close: async () => {
      await overNats?.close();
      await app.close();
    },
  };
}
