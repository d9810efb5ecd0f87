import { type Analytics, openAnalytics, openSharedAnalytics } from '#ports/analytics';
import { indexLayout, keepsFolder } from './settings.ts';
import type { Storage } from './storage/open-storage.ts';

export interface AnalyticsOptions {
  readonly maxBytes: number;
  onLost(requests: number): void;
}

/** Figures of the requests of this process alone, in its data folder, or of all processes where none has data there. */
export function analyticsOf({ settings, files }: Storage, options: AnalyticsOptions): Promise<Analytics> {
  const { openSearchUrl: url, prefix } = settings;
  if (url === null || keepsFolder(settings)) return openAnalytics(files.analytics, options);
  return openSharedAnalytics({ url, prefix, ...indexLayout(settings) }, options);
}
