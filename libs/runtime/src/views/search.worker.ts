import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { proxyPort, serve } from '#threads';
import { READER_METHODS, SqliteViewsReader, type ViewsReader } from '#views';

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
  ...proxyPort<ViewsReader>(READER_METHODS, (call) => call(reader())),
  close: async () => opened?.close(),
});

/** Questions that have arrived meanwhile come first. */
function warmOn(warming: Generator<void>): void {
  try {
    if (!warming.next().done) setImmediate(warmOn, warming);
  } catch (error) {
    // Whoever asks for it is told anything else.
    if ((error as Error).name === 'ViewsDamagedError') notify('damaged', (error as Error).message);
  }
}

function* warm(): Generator<void> {
  yield* reader().warm();
}
setImmediate(warmOn, warm());
