import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { type Config, readVersion } from '#config';
import { systemClock } from '#kernel';
import { Stages, StagesController } from '#pipeline';
import { EngineHealth, openParts, startEmbedder } from '#runtime';
import { createLogger } from '#telemetry';
import { followSpaces, openWork } from './start-work.ts';
import { serveHealth, workerHealth } from './worker-health.ts';

export interface RunningWorker {
  /** Where `/v3/health` is answered. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the work behind the API in a process of its own; any number of them may run. */
export async function startWorker(config: Config): Promise<RunningWorker> {
  const logger = createLogger(config.logLevel);
  const clock = systemClock;
  const opened = new AsyncDisposableStack();
  try {
    const parts = opened.adopt(await openParts(config, { clock, logger }), (one) => one.close());
    const embedder = opened.adopt(await startEmbedder(config, parts, logger), (one) => one.close());
    const { background, strategy } = await openWork({ config, parts, embedder, clock, logger });
    opened.defer(() => background.close());

    @Module({ controllers: [StagesController], providers: [{ provide: Stages, useValue: background.stages }] })
    class WorkerModule {}

    const app = await NestFactory.createMicroservice<MicroserviceOptions>(WorkerModule, {
      strategy,
      logger: logger.forNest(),
    });
    opened.defer(() => app.close());
    await app.listen();
    opened.defer(() => background.stop());
    background.start();
    const report = { version: readVersion(), embedder, engines: EngineHealth.of(parts), background };
    const health = opened.adopt(await serveHealth(config, () => workerHealth(report)), (one) => one.close());
    const stopping = new AbortController();
    const following = followSpaces(parts, embedder, logger, stopping.signal);
    opened.defer(() => {
      stopping.abort();
      return following;
    });
    return { url: health.url, close: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}
