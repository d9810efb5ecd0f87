import { READ_MODELS } from '#read-side/projections';
import {
  type OpenSearchWriter,
  openOpenSearchWriter,
  removeOpenSearchViews,
  removeViews,
  SqliteViewsWriter,
  type ViewsWriter,
} from '#read-side/views';

/** The views that a projection writes. */
export type ViewsTarget = (
  | { readonly kind: 'file'; readonly path: string }
  | {
      readonly kind: 'opensearch';
      readonly url: string;
      readonly prefix: string;
      /** Fencing token of the lease under which it writes. */
      readonly fencingToken: number;
      /** Names this process in messages. */
      readonly holder: string;
      readonly shards: number;
      readonly replicas: number;
    }
) & {
  /** Vector space of views that have to be created. */
  readonly space: string;
};

export const TABLES = READ_MODELS.flatMap(({ table }) => table ?? []);

/** OpenSearch has to be tidied from time to time. */
export type Writer = ViewsWriter & Partial<Pick<OpenSearchWriter, 'mergeDaily'>> & { purge?(): unknown };

export async function openWriter(target: ViewsTarget): Promise<Writer> {
  const options = { ...target, tables: TABLES };
  return options.kind === 'file' ? SqliteViewsWriter.open(options) : openOpenSearchWriter(options);
}

/** Nothing may have the views open. */
export async function removeTarget(target: ViewsTarget): Promise<void> {
  if (target.kind === 'file') removeViews(target.path);
  else await removeOpenSearchViews(target);
}
