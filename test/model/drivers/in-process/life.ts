import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { connectionDocumentsOf } from '#composition/application/connections';
import { dataFiles, type OpenViews, partsOn, type Storage } from '#composition/runtime';
import { type RunningServer, startServer } from '#composition/startup';
import { DEFAULT_GROUP, GroupEmbedder, LANGUAGES_GROUP, SpaceEmbedders } from '#features/vector-spaces';
import type { Pool } from '#platform/child-jobs';
import { loadConfig } from '#platform/config';
import type { BlobStore } from '#ports/blobs';
import type { EventStore } from '#ports/event-store';
import { EmbedderOff } from '#ports/models';
import type { VectorStore } from '#ports/vector-store';
import { createServerApp } from '../../../../apps/server/src/edge.ts';
import { StandInEmbedder } from '../../stand-in/embedder.ts';
import { OWNER_KEY, type Reply, type Request } from '../target.ts';
import { behindFuse, Fuse } from './fuse.ts';
import { openInProcessViews } from './views.ts';

/** What survives the end of a life. */
export interface Durable {
  /** @returns another client of the log */
  attach(): Promise<EventStore>;
  readonly blobs: BlobStore;
  readonly vectors: VectorStore;
  readonly viewsPath: string;
  /** Children that read files. They hold nothing between two jobs. */
  readonly pool: Pick<Pool, 'run'>;
}

/** The real server from its start to its end, without a process, threads and sockets of its own. */
export class Life {
  readonly fuse: Fuse;
  readonly #server: RunningServer;
  readonly #app: NestFastifyApplication;
  readonly #release: () => Promise<void>;

  /** @param folder of this life alone. @throws if the fuse blows before it is ready */
  static async start(durable: Durable, folder: string, arm: (fuse: Fuse) => void): Promise<Life> {
    const { config } = loadConfig({
      // The start asks whether its port is free.
      MNEME_PORT: '0',
      ...{ MNEME_DATA: folder, MNEME_API_KEY: OWNER_KEY, MNEME_RATE_LIMIT: 'off', MNEME_LOG_LEVEL: 'silent' },
      MNEME_MIN_FREE_MB: '0',
    });
    const fuse = new Fuse();
    arm(fuse);
    const log = await durable.attach();
    const storage: Storage = {
      ...{
        settings: config,
        files: dataFiles(folder),
        nats: null,
        embedded: null,
        streamKeys: null,
        newPorts: async () => ({ log: null, keys: null, feed: null }),
      },
      store: behindFuse<EventStore>(log, fuse, ['append', 'appendTogether', 'erase', 'saveSnapshot']),
      blobs: behindFuse(durable.blobs, fuse, ['put', 'putFile', 'delete', 'deletePrefix']),
      vectors: behindFuse(durable.vectors, fuse, ['put', 'claim', 'release']),
      close: async () => {},
    };
    const views = await openInProcessViews(storage, durable.viewsPath, fuse);
    const release = async () => {
      await fuse.settled();
      await views.close();
      await log.close();
    };
    // Closed by `release`: a life that has ended closes nothing.
    const shared: OpenViews = { ...views, close: async () => {} };
    const models = new GroupEmbedder(DEFAULT_GROUP, (space) => new StandInEmbedder(space), DEFAULT_GROUP.initialSpace);
    const others = new GroupEmbedder(LANGUAGES_GROUP, () => new EmbedderOff(), LANGUAGES_GROUP.initialSpace);
    let app: NestFastifyApplication | undefined;
    const openEdge = async (runtime: Parameters<typeof createServerApp>[0]) => {
      const created = await createServerApp(runtime);
      app = created;
      await created.init();
      await created.getHttpAdapter().getInstance().ready();
      return { listen: async () => 'http://in-process', close: () => created.close() };
    };
    try {
      const server = await startServer(
        config,
        { openEdge, operate: noOperations, connectionDocuments: connectionDocumentsOf },
        {
          parts: async (_config, options) => partsOn(storage, shared, options),
          embedders: async () => new SpaceEmbedders([models, others]),
          pool: { run: (job, use) => durable.pool.run(job, use), close: async () => {} },
        },
      );
      return new Life(fuse, server, app as NestFastifyApplication, release);
    } catch (error) {
      await release();
      throw error;
    }
  }

  private constructor(fuse: Fuse, server: RunningServer, app: NestFastifyApplication, release: () => Promise<void>) {
    this.fuse = fuse;
    this.#server = server;
    this.#app = app;
    this.#release = release;
  }

  /** @returns null: no answer, because the life has ended */
  async send({ method, path, body, headers }: Request): Promise<Reply | null> {
    const isForm = body instanceof FormData;
    const form = isForm ? new Response(body) : null;
    const payload = form === null ? body && JSON.stringify(body) : Buffer.from(await form.arrayBuffer());
    const type = form?.headers.get('content-type') ?? (body === undefined ? null : 'application/json');
    const sent = { authorization: `Bearer ${OWNER_KEY}`, ...(type !== null && { 'content-type': type }), ...headers };
    const answered = this.#app.inject({
      ...{ method: method as 'GET', url: path, headers: sent },
      ...(payload !== undefined && { payload: payload as string | Buffer }),
    });
    const answer = await Promise.race([answered, this.fuse.blown]);
    if (answer === undefined || this.fuse.isBlown) return null;
    const isJson = String(answer.headers['content-type']).includes('json');
    return { status: answer.statusCode, body: isJson ? JSON.parse(answer.body) : answer.body };
  }

  /** Stops as on a signal. */
  async stop(): Promise<void> {
    await this.#server.close();
    await this.#release();
  }

  /** After its end: what is durable can be opened again. @returns when what is left of it in memory is gone */
  async end(): Promise<{ readonly gone: Promise<void> }> {
    await this.#release();
    return { gone: this.#server.close().catch(() => undefined) };
  }
}

// biome-ignore lint/correctness/useYield: there are none
async function* noOperations(): AsyncGenerator<never> {
  throw new Error('no operations');
}

export const lifeFolder = (folder: string, life: number): string => join(folder, `life-${life}`);
