import { stat } from 'node:fs/promises';
import { JobTimeoutError, memoryError, outputError } from './errors.ts';
import type { JobLimits } from './kind.ts';
import { treeRss } from './rss.ts';

/** Five samples a second. */
const SAMPLE_MS = 200;

/**
 * Watches a running job.
 * @param exceeded called at most once, with the error that the job ends with
 * @returns the function that ends the watching
 */
export function enforceLimits(
  { pid, output, limits }: { readonly pid: number; readonly output: string; readonly limits: JobLimits },
  exceeded: (error: Error) => void,
): () => void {
  let isSampling = false;
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    clearTimeout(timer);
    clearInterval(sampler);
  };
  const fail = (error: Error) => {
    if (isStopped) return;
    stop();
    exceeded(error);
  };
  const sample = async () => {
    if (isSampling) return;
    isSampling = true;
    const [rss, written] = await Promise.all([treeRss(pid).catch(() => 0), sizeOf(output)]);
    isSampling = false;
    if (rss > limits.rssBytes) fail(memoryError(limits));
    else if (written > limits.outputBytes) fail(outputError(limits.outputBytes));
  };
  const timer = setTimeout(() => fail(new JobTimeoutError(`The work took more than ${limits.ms / 1000} s`)), limits.ms);
  const sampler = setInterval(sample, SAMPLE_MS);
  return stop;
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0;
}
