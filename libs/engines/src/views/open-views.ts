import type { Storage } from '../storage/open-storage.ts';
import { EmbeddedViews, type EmbeddedViewsOptions } from './embedded-views.ts';
import type { OpenViews } from './views.ts';

/** Opens the views that the settings choose. */
export async function openViews(storage: Storage, options: EmbeddedViewsOptions): Promise<OpenViews> {
  return EmbeddedViews.open(storage, options);
}
