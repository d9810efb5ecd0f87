import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { hasCode } from '#platform/kernel';
import { proxyPort, serve } from '#platform/thread-calls';
import { READER_METHODS, SqliteViewsReader, type ViewsReader } from '#read-side/views';

export interface SearchThreadData {
  readonly path: string;
  readonly cacheBytes: number;
}

/** Opened by the first call, so that a fault rejects that call and does not end the thread. */
let opened: SqliteViewsReader | null = null;
function reader(): SqliteViewsReader {
  opened ??= SqliteViewsReader.open(workerData as SearchThreadData);
  return opened;
}

/** Serves every read of the views. Notices: `damaged` with a message. */
const { notify } = serve<ViewsReader>(parentPort as MessagePort, {
  ...proxyPort<ViewsReader>(READER_METHODS, (call) => call(reader())),
  close: async () => opened?.close(),
});

/** Calls that have arrived go first. */
function warmOn(warming: Generator<void>): void {
  try {
    if (!warming.next().done) setImmediate(warmOn, warming);
  } catch (error) {
    // Other faults reject the call that meets them.
    if (hasCode(error, 'views_damaged')) notify('damaged', error.message);
  }
}

function* warm(): Generator<void> {
  yield* reader().warm();
}
setImmediate(warmOn, warm());
