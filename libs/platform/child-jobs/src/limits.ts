import { stat } from 'node:fs/promises';
import { JobTimeoutError, memoryError, outputError } from './errors.ts';
import type { JobLimits } from './kind.ts';
import { treeRss } from './rss.ts';

/** Five samples a second. */
const SAMPLE_MS = 200;

/**
 * Calls `exceeded`, at most once, when a process and its descendants take more resident memory.
 * @returns the function that ends the watching
 */
export function watchMemory(pid: number, rssBytes: number, exceeded: () => void): () => void {
  const stop = sampled(async () => {
    if ((await treeRss(pid).catch(() => 0)) <= rssBytes || isStopped) return;
    end();
    exceeded();
  });
  let isStopped = false;
  const end = () => {
    isStopped = true;
    stop();
  };
  return end;
}

/**
 * Watches a running job.
 * @param exceeded called at most once, with the error that the job ends with
 * @returns the function that ends the watching
 */
export function enforceLimits(
  { pid, output, limits }: { readonly pid: number; readonly output: string; readonly limits: JobLimits },
  exceeded: (error: Error) => void,
): () => void {
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    clearTimeout(timer);
    stopSamples();
  };
  const fail = (error: Error) => {
    if (isStopped) return;
    stop();
    exceeded(error);
  };
  const timer = setTimeout(() => fail(new JobTimeoutError(`The work took more than ${limits.ms / 1000} s`)), limits.ms);
  const stopSamples = sampled(async () => {
    const [rss, written] = await Promise.all([treeRss(pid).catch(() => 0), sizeOf(output)]);
    if (rss > limits.rssBytes) fail(memoryError(limits));
    else if (written > limits.outputBytes) fail(outputError(limits.outputBytes));
  });
  return stop;
}

/** Takes samples, one at a time. @returns the function that ends it */
function sampled(sample: () => Promise<void>): () => void {
  let isSampling = false;
  const timer = setInterval(async () => {
    if (isSampling) return;
    isSampling = true;
    await sample();
    isSampling = false;
  }, SAMPLE_MS);
  return () => clearInterval(timer);
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0;
}
