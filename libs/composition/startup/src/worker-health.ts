import type { Background } from '#composition/background';
import { type EngineHealth, isSound } from '#composition/runtime';
import type { Embedder } from '#ports/models';
import type { ExtractionHealth } from './extraction-health.ts';

export interface WorkerHealthOptions {
  readonly version: string;
  readonly embedder: Pick<Embedder, 'status'>;
  readonly engines: Pick<EngineHealth, 'report'>;
  readonly background: Pick<Background, 'report'>;
  readonly extraction: () => Promise<ExtractionHealth>;
}

/** Reports unreachable engines, missing streams, what files are read with, and the worker's activity. Never rejects. */
export async function workerHealth(options: WorkerHealthOptions): Promise<object> {
  const { version, embedder, background, extraction } = options;
  const engines = await options.engines.report();
  const { longestMs, ...work } = background.report();
  return {
    status: isSound(engines) && work.failing.length === 0 ? 'ok' : 'degraded',
    version,
    role: 'worker',
    model: embedder.status(),
    ...engines,
    extraction: await extraction(),
    work: { ...work, longestSeconds: Math.round(longestMs / 1_000) },
  };
}
