import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { KEY_RING } from '#access';
import {
  ApplicationModule,
  BACKLOG,
  BLOB_STORE,
  CLOCK,
  EMBEDDER,
  type Embedder,
  Erasure,
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
import { DiskBlobStore } from '#blobs';
import type { Config } from '#config';
import { DocumentRepository, DocumentTexts, upcasters } from '#documents';
import { createCommandHandler, createFoldCache, SqliteEventStore } from '#event-store';
import { systemClock } from '#kernel';
import { InProcessBus } from '#message-bus';
import { EmbedderOff, LocalEmbedder } from '#models';
import { ProcessManager, Stages, StagesController, TextWorker } from '#pipeline';
import { MemoryRateLimiter } from '#rate-limit';
import { SqliteVectorCache } from '#vector-cache';
import { AdaptersModule } from './adapters.module.ts';
import { EmbeddedViews } from './embedded/embedded-views.ts';
import { dataFiles } from './embedded/files.ts';
import { createHttpApp, HttpModule, type HttpOptions } from './http/index.ts';
import { LogFeed } from './startup/event-feed.ts';
import { ServerHealth } from './startup/health.ts';
import { finishErasures, removeOrphans } from './startup/left-behind.ts';
import { createLogger, type Logger } from './startup/logger.ts';
import { openAccess } from './startup/owner-key.ts';
import { DiskGuard } from './startup/storage-guard.ts';

/** Streams whose fold is kept in memory. */
const FOLDS = 1_000;

export interface RunningServer {
  readonly url: string;
  /** The owner key, at the first start only. */
  readonly ownerKey: string | null;
  close(): Promise<void>;
}

const packageFile = findPackageJSON(import.meta.url) as string;
const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };

/**
 * Opens the data folder, brings up every part in the order in which they need each other, and listens.
 * @throws DataFolderInUseError when another server works on the folder
 */
export async function startServer(config: Config): Promise<RunningServer> {
  const logger = createLogger(config.logLevel);
  const files = dataFiles(config.dataFolder);
  // What people remember is nobody else's business on a shared machine.
  await mkdir(config.dataFolder, { recursive: true, mode: 0o700 });
  await mkdir(files.uploads, { recursive: true });
  const clock = systemClock;
  const store = await SqliteEventStore.open({ path: files.events });
  const blobs = await DiskBlobStore.open(files.blobs);
  const vectors = await SqliteVectorCache.open(files.vectors);
  const views = await EmbeddedViews.open({ store, files, cacheBytes: config.cacheBytes, logger });
  const access = await openAccess({ store, clock, apiKey: config.apiKey, keyFile: files.ownerKey });
  const headAtStart = await store.head();
  await views.start();

  const embedder = startEmbedder(config, logger);
  const documents = new DocumentRepository(
    createCommandHandler({ store, clock, cache: createFoldCache({ entries: FOLDS }), upcasters }),
  );
  const texts = new DocumentTexts(blobs);
  const erasure = new Erasure(blobs, vectors);
  const storage = new DiskGuard(config.dataFolder, config.minFreeBytes, clock);
  const bus = new InProcessBus();
  const textWorker = new TextWorker();
  const { progress, reader } = views;
  const deletions = new RecentDeletions(progress);
  const stages = new Stages({
    documents,
    texts,
    embedder,
    vectors,
    textWorker,
    progress,
    head: () => store.head(),
    erase: (organization, id) => erasure.erase(organization, id),
  });
  const { maxBacklog } = config;
  const manager = new ProcessManager({ store, views: reader, progress, bus, embedder, clock, maxBacklog, logger });

  const adapters = AdaptersModule.of(
    new Map<symbol | (abstract new (...args: never[]) => unknown), unknown>([
      [BACKLOG, manager],
      [BLOB_STORE, blobs],
      [CLOCK, clock],
      [EMBEDDER, embedder],
      [EVENT_FEED, new LogFeed(store)],
      [EVENT_STORE, store],
      [HEALTH_REPORTER, new ServerHealth({ version, embedder, progress, storage, headAtStart })],
      [KEY_RING, access.keys],
      [STORAGE_GUARD, storage],
      [VECTOR_CACHE, vectors],
      [VIEWS_PROGRESS, progress],
      [VIEWS_READER, withoutDeleted(reader, deletions)],
      [RecentDeletions, deletions],
      [DocumentRepository, documents],
      [DocumentTexts, texts],
      [Erasure, erasure],
      [Stages, stages],
    ]) as never,
  );
  const http: HttpOptions = {
    rateLimiter: config.rateLimit && new MemoryRateLimiter(config.rateLimit),
    maxBodyBytes: config.maxBodyBytes,
    uploadFolder: files.uploads,
    name: 'mneme',
    version,
    publicUrl: null,
  };
  const application = ApplicationModule.using(adapters);

  @Module({
    imports: [application, HttpModule.using({ options: http, imports: [application, adapters] })],
    controllers: [StagesController],
  })
  class ServerModule {}

  const app: NestFastifyApplication = await createHttpApp(ServerModule, http, { logger: logger.forNest() });
  app.connectMicroservice({ strategy: bus });
  await app.startAllMicroservices();
  await app.listen({ port: config.port, host: config.host });
  manager.start();
  const stopping = new AbortController();
  cleanUp().catch((error) => {
    if (!stopping.signal.aborted) logger.error(`what a crash left behind was not removed: ${String(error)}`);
  });

  async function cleanUp(): Promise<void> {
    await finishErasures(store, erasure, clock);
    await removeOrphans(store, blobs, stopping.signal);
  }

  return {
    url: await app.getUrl(),
    ownerKey: access.ownerKey,
    close: async () => {
      stopping.abort();
      await manager.stop();
      await app.close();
      await textWorker.close();
      await embedder.close();
      await views.close();
      await vectors.close();
      await store.close();
    },
  };
}

function startEmbedder({ embedding, dataFolder, modelsFolder }: Config, logger: Logger): Embedder {
  return embedding === 'off' ? new EmbedderOff() : LocalEmbedder.start({ dataFolder, modelsFolder, logger });
}
