import { type OpenViews, ReportedProgress, type Storage } from '#composition/runtime';
import { DocumentRepository, DocumentTexts } from '#features/documents';
import { DEFAULT_GROUP } from '#features/vector-spaces';
import { systemClock } from '#platform/kernel';
import { createCommandHandler, createFoldCache } from '#ports/event-store';
import type { Lease } from '#ports/leases';
import { Projector, READ_MODELS, runProjection, servedCheckpoint } from '#read-side/projections';
import { SqliteViewsReader, SqliteViewsWriter, type ViewsReader, type ViewsWriter } from '#read-side/views';
import { behindFuse, type Fuse } from './fuse.ts';

const CACHE_BYTES = 1 << 22;

/** The views in a file, written and read in this thread. */
export async function openInProcessViews(storage: Storage, path: string, fuse: Fuse): Promise<OpenViews> {
  const { store, blobs, vectors } = storage;
  const space = DEFAULT_GROUP.initialSpace;
  const tables = READ_MODELS.flatMap(({ table }) => table ?? []);
  const file = SqliteViewsWriter.open({ path, space, tables });
  const writer = behindFuse<ViewsWriter>(file, fuse, ['apply', 'bring', 'build']);
  const search = SqliteViewsReader.open({ path, cacheBytes: CACHE_BYTES });
  const progress = new ReportedProgress((a, b) => store.compare(a, b), await servedCheckpoint(file));
  const projector = new Projector({ store, vectors, texts: new DocumentTexts(blobs), space });
  const cache = createFoldCache({ characters: 10_000 });
  const documents = new DocumentRepository(createCommandHandler({ store, clock: systemClock, cache }));
  return {
    reader: behindFuse<ViewsReader>(search, fuse, []),
    progress,
    repairing: false,
    made: async () => {},
    follow: ({ signal }: Lease) =>
      runProjection({
        ...{ store, writer, projector, documents, signal },
        onProgress: (position) => progress.report(position),
        onFault: () => {},
      }),
    rebuild: async () => {
      throw new Error('the views are rebuilt at a start');
    },
    purge: async () => null,
    close: async () => {
      progress.close();
      await search.close();
      await file.close();
    },
  };
}
