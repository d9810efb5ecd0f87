import { basename } from 'node:path';
import { type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';

/** Threads here stream data; a larger young generation would only keep garbage longer. */
const YOUNG_GENERATION_MB = 24;

const fromSource = import.meta.url.endsWith('.ts');

export interface WorkerOptions {
  readonly resourceLimits?: ResourceLimits;
  /** Ports and buffers inside `workerData` that move to the worker. */
  readonly transfer?: readonly Transferable[];
}

/**
 * Starts a worker thread from its source file, or from the compiled file next to it if this code runs compiled.
 * A source file runs under Node's type stripping: the code that it loads must not use decorators, enums or parameter
 * properties.
 *
 * @param source `new URL('./name.worker.ts', import.meta.url)`, with `.ts` also if compiled; its name names the thread
 * @param workerData a structured-cloneable value, available as `workerData` in the worker
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
