import type { Background } from '#composition/background';
import type { EngineHealth } from '#composition/runtime';
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
  const { version, embedder, engines, background, extraction } = options;
  const { unreachable, missing, contentLoss, failingErasures, leftOutRows } = await engines.report();
  const { longestMs, ...work } = background.report();
  const hasEngines = unreachable.length === 0 && missing.length === 0;
  const isComplete = contentLoss === null && failingErasures === 0 && leftOutRows === 0;
  const isWell = hasEngines && isComplete && work.failing.length === 0;
  return {
    status: isWell ? 'ok' : 'degraded',
    version,
    role: 'worker',
    model: embedder.status(),
    unreachable,
    missing,
    contentLoss,
    failingErasures,
    leftOutRows,
    extraction: await extraction(),
    work: { ...work, longestSeconds: Math.round(longestMs / 1_000) },
  };
}
