import { isMainThread, parentPort } from 'node:worker_threads';

/** Loaded into a server by `--import`: the thread that reads texts answers each call six seconds late. */
const DELAY_MS = 6_000;
if (!isMainThread && parentPort !== null && process.argv[1]?.includes('text.worker')) {
  const port = parentPort;
  const post = port.postMessage.bind(port);
  port.postMessage = (...args: Parameters<typeof post>) => void setTimeout(() => post(...args), DELAY_MS);
}
