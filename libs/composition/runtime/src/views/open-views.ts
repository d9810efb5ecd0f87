import type { Storage } from '../storage/open-storage.ts';
import { EmbeddedViews } from './embedded-views.ts';
import type { ViewsLogger } from './foreign-views.ts';
import type { OpenViews } from './views.ts';

/** Opens the views that the settings choose. @throws ViewsShapeError for views of another version in OpenSearch */
export async function openViews(storage: Storage, options: { readonly logger: ViewsLogger }): Promise<OpenViews> {
  const { openSearchUrl } = storage.settings;
  if (openSearchUrl === null) return EmbeddedViews.open(storage, options);
  const { OpenSearchViews } = await import('./opensearch-views.ts');
  return OpenSearchViews.open(storage, openSearchUrl, options);
}
