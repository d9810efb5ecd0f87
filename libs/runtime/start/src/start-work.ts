import type { CustomTransportStrategy, Server } from '@nestjs/microservices';
import type { Config } from '#config';
import type { Clock } from '#kernel';
import { SwitchingEmbedder } from '#models';
import { atOnce, BackgroundWork } from '#pipeline';
import { followVectorSpaces, openWorkBus, type Parts, sharedTasks, type startEmbedder } from '#runtime';
import type { Logger } from '#telemetry';

export type RunningEmbedder = Awaited<ReturnType<typeof startEmbedder>>;

export interface WorkOptions {
  readonly config: Config;
  readonly parts: Parts;
  readonly embedder: RunningEmbedder;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Work {
  readonly background: BackgroundWork;
  /** What Nest listens with. */
  readonly strategy: Server & CustomTransportStrategy;
}

/** Opens the work behind the API. The views begin to follow the log; stages wait for `background.start()`. */
export async function openWork({ config, parts, embedder, clock, logger }: WorkOptions): Promise<Work> {
  const { storage, views, documents, texts, erasure } = parts;
  const { store, blobs, vectors } = storage;
  const { bus, strategy, leases } = await openWorkBus(storage, { clock, atOnce });
  const background = new BackgroundWork({
    ...{ store, blobs, vectors, views, embedder, documents, texts, erasure, bus, leases, clock, logger },
    maxBacklog: config.maxBacklog,
    scratch: storage.files.scratch,
    tasks: sharedTasks(parts, clock, logger),
  });
  background.follow();
  return { background, strategy };
}

/** Keeps the models of a process to the vector spaces in use, until the signal aborts. */
export async function followSpaces(
  parts: Parts,
  embedder: RunningEmbedder,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  if (embedder instanceof SwitchingEmbedder) await followVectorSpaces(parts, embedder, { logger, signal });
}
