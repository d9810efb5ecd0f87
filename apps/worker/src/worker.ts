import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { StoredKeys } from '#access';
import { type Config, readVersion } from '#config';
import {
  EngineHealth,
  followVectorSpaces,
  openParts,
  openWorkBus,
  projectionLagSeconds,
  sharedTasks,
  startEmbedder,
} from '#engines';
import { systemClock } from '#kernel';
import { SwitchingEmbedder } from '#models';
import { atOnce, BackgroundWork, Stages, StagesController } from '#pipeline';
import { createLogger, openMetrics } from '#telemetry';
import { workerHealth } from './health.ts';
import { metricsRoute } from './metrics.ts';
import { jsonAnswer, serveStatus } from './status-server.ts';

export interface RunningWorker {
  /** Where `/v3/health` is answered, and `/metrics` if it is on. */
  readonly url: string;
  close(): Promise<void>;
}

/** The work behind the API, in a process of its own: as many of them as there is work for. */
export async function startWorkerProcess(config: Config): Promise<RunningWorker> {
  const logger = createLogger(config.logLevel);
  const clock = systemClock;
  const metrics = await openMetrics(config.metrics);
  const parts = await openParts(config, { clock, logger, metrics });
  const { store, blobs, vectors } = parts.storage;
  const { bus, strategy, leases } = await openWorkBus(parts.storage, { clock, atOnce });
  const embedder = await startEmbedder(config, parts, logger, metrics);
  const background = new BackgroundWork({
    ...{ store, blobs, vectors, bus, leases, embedder, clock, logger },
    ...{ views: parts.views, documents: parts.documents, texts: parts.texts, erasure: parts.erasure },
    maxBacklog: config.maxBacklog,
    tasks: sharedTasks(parts, clock, logger),
  });

  @Module({ controllers: [StagesController], providers: [{ provide: Stages, useValue: background.stages }] })
  class WorkerModule {}

  background.follow();
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(WorkerModule, {
    strategy,
    logger: logger.forNest(),
  });
  await app.listen();
  background.start();
  const stopping = new AbortController();
  const { signal } = stopping;
  const following = embedder instanceof SwitchingEmbedder && followVectorSpaces(parts, embedder, { logger, signal });
  const told = { version: readVersion(), embedder, engines: EngineHealth.of(parts), background };
  metrics?.setSources({
    queues: () => background.queues(),
    projectionLagSeconds: () => projectionLagSeconds({ store, reader: parts.views.reader, clock }),
  });
  const status = await serveStatus(config, {
    '/v3/health': async () => jsonAnswer(200, await workerHealth(told)),
    ...(metrics !== null && { '/metrics': metricsRoute(metrics, new StoredKeys(store)) }),
  });
  console.log(`Mneme works; it listens on ${status.url} for questions about its health`);

  return {
    url: status.url,
    close: async () => {
      stopping.abort();
      await following;
      await status.close();
      await background.stop();
      await app.close();
      await background.close();
      await embedder.close();
      await parts.close();
    },
  };
}
