import { connect, remotePort, startWorker } from '#platform/thread-calls';
import { READER_METHODS, type ViewsReader } from '#read-side/views';
import type { SearchThreadData } from './search.worker.ts';

export interface SearchListener {
  /** Damage was found outside of a call. */
  damaged(message: string): void;
  /** The thread has ended by itself. Called once; later calls reject with ThreadGoneError. */
  lost(message: string): void;
}

const NO_LISTENER: SearchListener = { damaged: () => {}, lost: () => {} };

/** Starts a thread that reads the embedded views, because a scan occupies a core. The views have to exist. */
export function startSearchThread(data: SearchThreadData, listener: SearchListener = NO_LISTENER): ViewsReader {
  const worker = startWorker(new URL('./search.worker.ts', import.meta.url), data, {
    // What one search reads is garbage for the next; frequent collection keeps it small.
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
      // A thread that was lost has nothing open.
      await search.call('close').catch(() => undefined);
      await worker.terminate();
    },
  };
}
