import type { OpenSearchAnalyticsOptions } from './adapters/opensearch/opensearch-analytics.ts';
import { SqliteAnalytics } from './adapters/sqlite/sqlite-analytics.ts';
import type { Analytics } from './port.ts';
import { Recorder, type RecorderOptions } from './recorder.ts';

export { percentileOf } from './durations.ts';
export {
  addFigures,
  addTokens,
  type ChatTokens,
  type Figures,
  HOUR_MS,
  isFailure,
  noFigures,
  type Period,
} from './period.ts';
export { ANALYTICS, type Analytics, type RequestFilter, type Span } from './port.ts';
export { RETENTION_MS } from './recorder.ts';
export { type AnsweredRequest, type LoggedRequest, REQUEST_TYPES, type RequestType } from './request.ts';

/** Figures of this process alone, in a file. @throws Error if it is damaged */
export async function openAnalytics(path: string, options: RecorderOptions): Promise<Analytics> {
  return new Recorder(await SqliteAnalytics.open(path), options);
}

/**
 * Figures that all processes on one OpenSearch share, which need not answer yet. The first call loads the driver.
 */
export async function openSharedAnalytics(
  where: OpenSearchAnalyticsOptions,
  options: RecorderOptions,
): Promise<Analytics> {
  const { OpenSearchAnalytics } = await import('./adapters/opensearch/opensearch-analytics.ts');
  return new Recorder(new OpenSearchAnalytics(where), options);
}
