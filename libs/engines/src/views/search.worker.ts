import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { serve } from '#threads';
import { SqliteViewsReader, type ViewsReader } from '#views';

export interface SearchThreadData {
  readonly path: string;
  readonly cacheBytes: number;
}

/** The thread that answers every question about the views. */
const reader = SqliteViewsReader.open(workerData as SearchThreadData);

serve<ViewsReader>(parentPort as MessagePort, {
  checkpoint: () => reader.checkpoint(),
  vectorSpace: () => reader.vectorSpace(),
  documents: (scope, ids) => reader.documents(scope, ids),
  list: (query) => reader.list(query),
  search: (query) => reader.search(query),
  units: (scope, wanted) => reader.units(scope, wanted),
  newestMemories: (query, limit) => reader.newestMemories(query, limit),
  unfinished: (options) => reader.unfinished(options),
  countUnfinished: () => reader.countUnfinished(),
  withoutVectors: (options) => reader.withoutVectors(options),
  close: () => reader.close(),
});

const warming = reader.warm();
/** Questions that have arrived meanwhile come first. */
function warmOn(): void {
  if (!warming.next().done) setImmediate(warmOn);
}
setImmediate(warmOn);
