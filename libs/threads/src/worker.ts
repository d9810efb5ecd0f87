import { basename } from 'node:path';
import { type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';

/** Threads here stream data through; more would only be garbage that waits. */
const YOUNG_GENERATION_MB = 24;

const fromSource = import.meta.url.endsWith('.ts');

export interface WorkerOptions {
  readonly resourceLimits?: ResourceLimits;
  /** Ports and buffers inside `workerData` that move to the worker. */
  readonly transfer?: readonly Transferable[];
}

/**
 * Starts a worker thread from its source file, or from its compiled neighbour when this code runs compiled.
 * A source file runs under Node's type stripping: no decorators, enums or parameter properties in what it loads.
 *
 * @param source its name without the ending becomes the name of the thread; `new URL('./name.worker.ts', import.meta.url)`; always the `.ts` name
 * @param workerData a structured-cloneable value, found as `workerData` in the worker
 */
export function startWorker(source: URL, workerData?: unknown, options: WorkerOptions = {}): Worker {
  const file = fromSource ? source : new URL(source.href.replace(/\.ts$/, '.js'));
  return new Worker(file, {
    name: basename(source.pathname, '.worker.ts'),
    workerData,
    transferList: [...(options.transfer ?? [])],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB, ...options.resourceLimits },
    execArgv: [...(fromSource ? ['--conditions=mneme-source'] : []), '--disable-warning=ExperimentalWarning'],
  });
}
