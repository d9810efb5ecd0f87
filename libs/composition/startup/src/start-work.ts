import type { CustomTransportStrategy, Server } from '@nestjs/microservices';
import { Background } from '#composition/background';
import { openWorkBus, type Parts } from '#composition/runtime';
import type { DocumentName } from '#features/documents';
import { TokenCount } from '#features/quotas';
import { DEFAULT_GROUP, followGroup, followLanguages, type SpaceEmbedders } from '#features/vector-spaces';
import { Pool } from '#platform/child-jobs';
import type { Config } from '#platform/config';
import { openFetch } from '#platform/fetch';
import type { Clock } from '#platform/kernel';
import type { Logger } from '#platform/telemetry';
import type { Position } from '#ports/event-store';
import { LocalResources } from '#ports/models';
import type { QuotaCounts } from '#ports/quota-counts';
import { atOnce, Pages, Pipeline, type PipelineOptions } from '#processing/pipeline';
import { type ExtractionHealth, extractionHealth } from './extraction-health.ts';

export interface WorkOptions {
  readonly config: Config;
  readonly parts: Parts;
  readonly embedders: SpaceEmbedders;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly quotaCounts: QuotaCounts;
  /** Hides a deleted document from the answers of this process. Absent: it answers nothing. */
  readonly hide?: (document: DocumentName, position: Position) => void;
  /** Default: child processes of this work alone. */
  readonly pool?: PipelineOptions['pool'];
}

export interface Work {
  readonly background: Background;
  /** What Nest listens with. */
  readonly strategy: Server & CustomTransportStrategy;
  readonly extraction: () => Promise<ExtractionHealth>;
  /** What was embedded, for quotas. To be closed when the work has stopped. */
  readonly tokens: TokenCount;
}

/** Opens the work behind the API. The views begin to follow the log; stages wait for `background.start()`. */
export async function openWork({
  config,
  parts,
  embedders,
  clock,
  logger,
  quotaCounts,
  hide = () => {},
  pool = new Pool({ folder: parts.storage.files.scratch }),
}: WorkOptions): Promise<Work> {
  const { storage, views, documents, texts, erasure, settings } = parts;
  const { store, blobs, vectors } = storage;
  const { bus, strategy, leases } = await openWorkBus(storage, { clock, atOnce });
  const fetch = openFetch({
    allow: config.fetchAllow,
    loopback: config.fetchLoopback === 'on',
    proxy: config.fetchProxy,
  });
  const { robots, minFreeBytes, maxBacklog } = config;
  const { scratch } = storage.files;
  const resources = new LocalResources({ ...config, logger });
  const tokens = new TokenCount(quotaCounts, clock);
  const pipeline = new Pipeline({
    ...{ store, blobs, vectors, views, documents, texts, erasure, settings },
    pages: new Pages({ fetch, folder: scratch, robots, minFreeBytes }),
    pool,
    // One slow file at a time: a transcription takes all cores but one.
    slowPool: new Pool({ folder: scratch, size: 2 }),
    ...{ embedders, bus, clock, logger, resources, maxBacklog },
    embedded: (organization, count) => tokens.add(organization, count),
  });
  const background = new Background({ parts, pipeline, embedders, leases, clock, logger, hide });
  background.follow();
  return { background, strategy, extraction: () => extractionHealth(resources, config.ocrLanguages), tokens };
}

/** Keeps the models of a process to the vector spaces in use, until the signal aborts. */
export async function followSpaces(
  { config, parts, embedders, logger }: Omit<WorkOptions, 'clock' | 'hide' | 'pool' | 'quotaCounts'>,
  signal: AbortSignal,
): Promise<void> {
  if (config.embedding === 'off') return;
  const options = { logger, signal };
  await Promise.all([
    followGroup(parts, embedders.of(DEFAULT_GROUP), options),
    followLanguages(parts, embedders, options),
  ]);
}
