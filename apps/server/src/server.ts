import { mkdir } from 'node:fs/promises';
import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { KEY_RING } from '#access';
import {
  ApplicationModule,
  BACKLOG,
  type Backlog,
  BLOB_STORE,
  CLOCK,
  EMBEDDER,
  EVENT_FEED,
  EVENT_STORE,
  HEALTH_REPORTER,
  RecentDeletions,
  STORAGE_GUARD,
  VECTOR_CACHE,
  VIEWS_PROGRESS,
  VIEWS_READER,
  withoutDeleted,
} from '#application';
import { type Config, readVersion } from '#config';
import { type Run, serveControl } from '#control';
import { DocumentRepository, DocumentTexts, Erasure } from '#documents';
import {
  EngineHealth,
  followVectorSpaces,
  keepsFolder,
  openParts,
  openRateLimiter,
  openWorkBus,
  PolledBacklog,
  sharedTasks,
  startEmbedder,
} from '#engines';
import { systemClock } from '#kernel';
import { SwitchingEmbedder } from '#models';
import type { NatsConnection } from '#nats';
import { atOnce, BackgroundWork, Stages, StagesController } from '#pipeline';
import { createLogger } from '#telemetry';
import { AdaptersModule } from './adapters.module.ts';
import { createHttpApp, HttpModule, type HttpOptions } from './http/index.ts';
import { LogFeed } from './startup/event-feed.ts';
import { followOthers, hideDeleted } from './startup/follow-others.ts';
import { ServerHealth } from './startup/health.ts';
import { openAccess } from './startup/owner-key.ts';
import { DiskGuard } from './startup/storage-guard.ts';

/** Empty engines get their views from whoever first holds the lease; until then no search can be answered. */
const VIEWS_MADE_WITHIN_MS = 5_000;

export interface RunningServer {
  readonly url: string;
  /** The owner key, at the first start only. */
  readonly ownerKey: string | null;
  close(): Promise<void>;
}

/**
 * Opens the engines, brings up every part in the order in which they need each other, and listens. In the role `api` the
 * work behind the API is left to other processes.
 * @throws DataFolderInUseError when another server works on the folder
 */
export async function startServer(config: Config): Promise<RunningServer> {
  const logger = createLogger(config.logLevel);
  const clock = systemClock;
  const version = readVersion();
  const parts = await openParts(config, { clock, logger });
  const { storage, documents, texts, erasure } = parts;
  const { store, blobs, vectors, files } = storage;
  const { views } = parts;
  const { progress, reader } = views;
  await mkdir(files.uploads, { recursive: true });
  const headAtStart = await store.head();
  const access = await openAccess({ store, clock, apiKey: config.apiKey, keyFile: files.ownerKey });

  const embedder = await startEmbedder(config, parts, logger);
  const { maxBacklog } = config;
  const work = config.role === 'all' ? await openWork() : null;
  // Where the work is shared, another process may be the one that knows how much there is.
  const here = storage.nats === null ? work?.background : undefined;
  const backlog: Backlog = here ?? new PolledBacklog(reader, maxBacklog, clock);
  const engines = EngineHealth.of(parts);
  const guard = new DiskGuard(config.dataFolder, config.minFreeBytes, clock);
  const deletions = new RecentDeletions(progress);
  await hideDeleted({ store, views: reader, deletions });

  async function openWork() {
    const { bus, strategy, leases } = await openWorkBus(storage, { clock, atOnce });
    const pieces = { store, blobs, vectors, views, embedder, documents, texts, erasure };
    const tasks = sharedTasks(parts, clock, logger);
    const background = new BackgroundWork({
      ...{ ...pieces, bus, leases, clock, maxBacklog, logger, tasks },
      scratch: files.scratch,
    });
    background.follow();
    return { strategy, background };
  }

  const adapters = AdaptersModule.of(
    new Map<symbol | (abstract new (...args: never[]) => unknown), unknown>([
      [BACKLOG, backlog],
      [BLOB_STORE, blobs],
      [CLOCK, clock],
      [EMBEDDER, embedder],
      [EVENT_FEED, new LogFeed(store)],
      [EVENT_STORE, store],
      [HEALTH_REPORTER, new ServerHealth({ version, embedder, views, storage: guard, engines, headAtStart })],
      [KEY_RING, access.keys],
      [STORAGE_GUARD, guard],
      [VECTOR_CACHE, vectors],
      [VIEWS_PROGRESS, progress],
      [VIEWS_READER, withoutDeleted(reader, deletions)],
      [RecentDeletions, deletions],
      [DocumentRepository, documents],
      [DocumentTexts, texts],
      [Erasure, erasure],
      ...(work === null ? [] : [[Stages, work.background.stages] as const]),
    ]) as never,
  );
  const http: HttpOptions = {
    rateLimiter: await openRateLimiter(storage, config.rateLimit, logger),
    maxBodyBytes: config.maxBodyBytes,
    uploadFolder: files.uploads,
    name: 'mneme',
    version,
    publicUrl: null,
  };
  const application = ApplicationModule.using(adapters);

  @Module({
    imports: [application, HttpModule.using({ options: http, imports: [application, adapters] })],
    controllers: work === null ? [] : [StagesController],
  })
  class ServerModule {}

  const app: NestFastifyApplication = await createHttpApp(ServerModule, http, { logger: logger.forNest() });
  if (work !== null) {
    app.connectMicroservice({ strategy: work.strategy });
    await app.startAllMicroservices();
  }
  await parts.views.made(VIEWS_MADE_WITHIN_MS);
  await app.listen({ port: config.port, host: config.host });
  work?.background.start();
  const overNats = storage.nats === null ? null : await answerOverNats(storage.nats);

  /** The second front door. Its driver is loaded by those alone that have NATS. */
  async function answerOverNats(connection: NatsConnection) {
    const { NatsApi } = await import('./nats/nats-api.ts');
    return new NatsApi({ connection, http: app, logger, prefix: config.prefix });
  }
  const stopping = new AbortController();
  const context = { config, parts, clock, server: { embedder, startedAt: clock.now() } };
  const control = keepsFolder(config) ? await serveControl(config.dataFolder, (...call) => answer(...call)) : null;

  /** What an operator asks for is loaded when he does. */
  async function* answer(...call: Parameters<Run>): ReturnType<Run> {
    const { operate } = await import('#operations');
    yield* operate(context, ...call);
  }
  const others = { store, keys: access.keys, deletions, after: headAtStart, logger, signal: stopping.signal };
  const following = Promise.all([
    config.eventStoreUrl === null ? null : followOthers(others),
    embedder instanceof SwitchingEmbedder && followVectorSpaces(parts, embedder, { logger, signal: stopping.signal }),
  ]);

  return {
    url: await app.getUrl(),
    ownerKey: access.ownerKey,
    close: async () => {
      stopping.abort();
      await control?.close();
      await following;
      await overNats?.close();
      await work?.background.stop();
      await app.close();
      await work?.background.close();
      await embedder.close();
      await parts.close();
    },
  };
}
