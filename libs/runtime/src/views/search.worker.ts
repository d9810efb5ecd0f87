import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { hasCode } from '#kernel';
import { serve } from '#threads';
import { SqliteViewsReader, type ViewsReader } from '#views';

export interface SearchThreadData {
  readonly path: string;
  readonly cacheBytes: number;
}

/** Opened by the first question, so that what stands in the way is an answer and not the end of the thread. */
let opened: SqliteViewsReader | null = null;
function reader(): SqliteViewsReader {
  opened ??= SqliteViewsReader.open(workerData as SearchThreadData);
  return opened;
}

/** The thread that answers every question about the views. Notices: `damaged` with a message. */
const { notify } = serve<ViewsReader>(parentPort as MessagePort, {
  checkpoint: () => reader().checkpoint(),
  vectorSpace: () => reader().vectorSpace(),
  documents: (scope, ids) => reader().documents(scope, ids),
  list: (query) => reader().list(query),
  search: (query) => reader().search(query),
  units: (scope, wanted) => reader().units(scope, wanted),
  newestMemories: (query, limit) => reader().newestMemories(query, limit),
  unfinished: (options) => reader().unfinished(options),
  countUnfinished: () => reader().countUnfinished(),
  withoutVectors: (options) => reader().withoutVectors(options),
  close: async () => opened?.close(),
});

/** Questions that have arrived meanwhile come first. */
function warmOn(warming: Generator<void>): void {
  try {
    if (!warming.next().done) setImmediate(warmOn, warming);
  } catch (error) {
    // Any other error is the answer to the next question.
    if (hasCode(error, 'views_damaged')) notify('damaged', error.message);
  }
}

function* warm(): Generator<void> {
  yield* reader().warm();
}
setImmediate(warmOn, warm());
