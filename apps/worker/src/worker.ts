import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { type Config, readVersion } from '#config';
import { EngineHealth, followVectorSpaces, openParts, openWorkBus, sharedTasks, startEmbedder } from '#engines';
import { systemClock } from '#kernel';
import { SwitchingEmbedder } from '#models';
import { atOnce, BackgroundWork, Stages, StagesController } from '#pipeline';
import { createLogger } from '#telemetry';
import { serveHealth, workerHealth } from './health.ts';

export interface RunningWorker {
  /** Where `/v3/health` is answered. */
  readonly url: string;
  close(): Promise<void>;
}

/** The work behind the API, in a process of its own: as many of them as there is work for. */
export async function startWorkerProcess(config: Config): Promise<RunningWorker> {
  const logger = createLogger(config.logLevel);
  const clock = systemClock;
  const parts = await openParts(config, { clock, logger });
  const { store, blobs, vectors, files } = parts.storage;
  const { bus, strategy, leases } = await openWorkBus(parts.storage, { clock, atOnce });
  const embedder = await startEmbedder(config, parts, logger);
  const background = new BackgroundWork({
    ...{ store, blobs, vectors, bus, leases, embedder, clock, logger },
    ...{ views: parts.views, documents: parts.documents, texts: parts.texts, erasure: parts.erasure },
    maxBacklog: config.maxBacklog,
    scratch: files.scratch,
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
  const health = await serveHealth(config, () => workerHealth(told));
  console.log(`Mneme works; it listens on ${health.url} for questions about its health`);

  return {
    url: health.url,
    close: async () => {
      stopping.abort();
      await following;
      await health.close();
      await background.stop();
      await app.close();
      await background.close();
      await embedder.close();
      await parts.close();
    },
  };
}
