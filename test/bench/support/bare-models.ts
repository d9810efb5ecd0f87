import { availableParallelism } from 'node:os';
import type { ModelFiles } from '#models';
import { connect, startWorker } from '#threads';
import type { BareModelThread } from '../bare-model.worker.ts';

/** The threads that the product embeds passages on: one per core, at most four. */
const THREADS = Math.min(availableParallelism(), 4);
/** Texts handed to a thread at once, as in the product. */
const PORTION = 32;

export interface BareModels {
  readonly threads: number;
  /** @returns seconds that the texts took, whichever thread was free taking the next portion */
  embed(texts: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

/** As many bare models as the product runs, each on a thread of its own, with nothing around them. */
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
            const portion = texts.slice(next, next + PORTION);
            next += PORTION;
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
