import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import {
  connectorsOf,
  EngineHealth,
  EngineOutages,
  KeptStreamsWatch,
  openParts,
  projectionLagSeconds,
  quotaCountsOf,
} from '#composition/runtime';
import { readKeyEvents, StoredKeys } from '#features/access';
import { Admission } from '#features/documents/requests';
import { Team } from '#features/team';
import { DEFAULT_GROUP } from '#features/vector-spaces';
import { type Config, readVersion } from '#platform/config';
import { systemClock } from '#platform/kernel';
import { checkListening, createLogger, openMetrics } from '#platform/telemetry';
import { Stages, StagesController } from '#processing/pipeline';
import { RecentDeletions } from '#read-side/views';
import type { WorkApplication } from './connection-work.ts';
import { DiskGuard } from './disk-guard.ts';
import { followOthers, lockMergingTags } from './follow-others.ts';
import { PolledBacklog } from './polled-backlog.ts';
import { quotasOf } from './quotas-of.ts';
import { startEmbedders } from './start-embedders.ts';
import { followSpaces, openWork } from './start-work.ts';
import { jsonAnswer, serveStatus } from './status-server.ts';
import { workerHealth } from './worker-health.ts';
import { metricsRoute } from './worker-metrics.ts';

export interface RunningWorker {
  /** Where `/v3/health` is answered, and `/metrics` if it is on. */
  readonly url: string;
  /** Resolves with the reason why the process cannot go on. Undefined: nothing can end it. */
  readonly failed: Promise<Error> | undefined;
  close(): Promise<void>;
}

/** Starts the work behind the API in a process of its own; any number of them may run. */
export async function startWorker(config: Config, application: WorkApplication): Promise<RunningWorker> {
  const logger = createLogger(config.logLevel);
  const clock = systemClock;
  const opened = new AsyncDisposableStack();
  try {
    await checkListening(config);
    const metrics = await openMetrics(config.metrics);
    const parts = opened.adopt(await openParts(config, { clock, logger, metrics }), (one) => one.close());
    const outages = opened.adopt(EngineOutages.of(parts, { logger, clock }), (one) => one.close());
    logger.setGate(outages.gate);
    const { storage, views, keys, tagLocks } = parts;
    const { store } = storage;
    // Connections write as callers do, within the same limits.
    const headAtStart = await store.head();
    await readKeyEvents(store, keys, null);
    await lockMergingTags(store, tagLocks);
    const embedders = opened.adopt(await startEmbedders(config, parts, logger, metrics), (one) => one.close());
    const quotaCounts = await quotaCountsOf(storage);
    const quotas = opened.adopt(quotasOf(parts, { quotaCounts, clock, logger }), (one) => one.close());
    const streams = KeptStreamsWatch.of(storage);
    streams?.start();
    opened.defer(() => streams?.close());
    const guard = new DiskGuard(config.dataFolder, config.minFreeBytes, clock, streams);
    const admission = new Admission(new PolledBacklog(views.reader, config.maxBacklog, clock), guard, quotas);
    const deletions = new RecentDeletions(views.progress);
    const { background, strategy, extraction, tokens } = await openWork({
      ...{ config, parts, embedders, clock, logger, quotaCounts },
    });
    opened.defer(() => tokens.close());
    opened.defer(() => background.close());

    @Module({ controllers: [StagesController], providers: [{ provide: Stages, useValue: background.pipeline.stages }] })
    class WorkerModule {}

    const app = await NestFactory.createMicroservice<MicroserviceOptions>(WorkerModule, {
      strategy,
      logger: logger.forNest(),
    });
    opened.defer(() => app.close());
    await app.listen();
    opened.defer(() => background.stop());
    const documents = application.connectionDocuments({ parts, admission, deletions, clock });
    background.start({ connectors: connectorsOf(config, { clock, logger }), documents });
    const embedder = embedders.of(DEFAULT_GROUP);
    const report = { version: readVersion(), embedder, engines: EngineHealth.of(parts), background, extraction };
    metrics?.setSources({
      queues: () => background.pipeline.queues(),
      projectionLagSeconds: () => projectionLagSeconds({ store, reader: parts.views.reader, clock }),
    });
    const routes = {
      '/v3/health': async () => jsonAnswer(200, await workerHealth(report)),
      ...(metrics !== null && {
        '/metrics': metricsRoute(metrics, new StoredKeys(store, clock, new Team(clock)), config.installationKey),
      }),
    };
    const status = opened.adopt(await serveStatus(config, routes), (one) => one.close());
    const stopping = new AbortController();
    const { signal } = stopping;
    const following = Promise.all([
      followSpaces({ config, parts, embedders, logger }, signal),
      followOthers({ store, keys, deletions, tagLocks, after: headAtStart, logger, signal }),
    ]);
    opened.defer(async () => {
      stopping.abort();
      await following;
    });
    return { url: status.url, failed: store.replaced, close: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}
