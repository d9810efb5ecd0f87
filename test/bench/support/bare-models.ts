import { availableParallelism } from 'node:os';
import { connect, startWorker } from '#platform/thread-calls';
import type { ModelFiles } from '#ports/models';
import type { BareModelThread } from '../bare-model.worker.ts';

/** Number of threads that embed passages in the product: one per core, at most four. */
const THREADS = Math.min(availableParallelism(), 4);
/** Texts per batch of a thread, as in the product. */
const BATCH_TEXTS = 32;

export interface BareModels {
  readonly threads: number;
  /** Embeds the texts; each free thread takes the next batch. @returns seconds */
  embed(texts: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

/** Starts as many bare models as the product runs, each on its own thread. */
export function startBareModels(files: ModelFiles): BareModels {
  const workers = Array.from({ length: THREADS }, () =>
    startWorker(new URL('../bare-model.worker.ts', import.meta.url), files),
  );
  const threads = workers.map((worker) => connect<BareModelThread>(worker));
  return {
    threads: THREADS,
    async embed(texts) {
      const begun = performance.now();
      let next = 0;
      await Promise.all(
        threads.map(async (thread) => {
          while (next < texts.length) {
            const portion = texts.slice(next, next + BATCH_TEXTS);
            next += BATCH_TEXTS;
            await thread.call('embed', portion);
          }
        }),
      );
      return (performance.now() - begun) / 1_000;
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
