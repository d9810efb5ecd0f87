import { isMainThread } from 'node:worker_threads';

/** Loaded into a server by `--import`: SIGUSR2 ends its search thread, like an out-of-memory error. */
if (isMainThread) {
  let end: () => unknown = () => undefined;
  process.on('worker', (worker) => {
    if (worker.threadName === 'search') end = () => worker.terminate();
  });
  process.on('SIGUSR2', () => end());
}
