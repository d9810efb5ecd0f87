import { connect, remotePort, startWorker } from '#threads';
import { READER_METHODS, type ViewsReader } from '#views';
import type { SearchThreadData } from './search.worker.ts';

export interface SearchListener {
  /** The views are damaged where nobody has asked yet. */
  damaged(message: string): void;
  /** The thread has ended by itself. Called once; whatever is asked from then on rejects with ThreadGoneError. */
  lost(message: string): void;
}

const NOBODY: SearchListener = { damaged: () => {}, lost: () => {} };

/** Reads the embedded views in a thread of its own: a scan uses a core for its time. The views must have been made. */
export function startSearchThread(data: SearchThreadData, listener: SearchListener = NOBODY): ViewsReader {
  const worker = startWorker(new URL('./search.worker.ts', import.meta.url), data, {
    // What was read for one question is of no use to the next; collected often, it takes little room.
    resourceLimits: { maxYoungGenerationSizeMb: 3 },
  });
  const search = connect<ViewsReader>(worker);
  let closing = false;
  search.onNotice((_topic, message) => listener.damaged(String(message)));
  search.onGone(({ message }) => {
    if (!closing) listener.lost(message);
  });
  return {
    ...remotePort<ViewsReader>(READER_METHODS, search),
    close: async () => {
      closing = true;
      // One that was lost has nothing open any more.
      await search.call('close').catch(() => undefined);
      await worker.terminate();
    },
  };
}
