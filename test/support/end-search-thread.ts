import { isMainThread } from 'node:worker_threads';

/** Loaded into a server by `--import`: on SIGUSR2 its thread that searches ends, as one that ran out of memory would. */
if (isMainThread) {
  let end: () => unknown = () => undefined;
  process.on('worker', (worker) => {
    if (worker.threadName === 'search') end = () => worker.terminate();
  });
  process.on('SIGUSR2', () => end());
}
