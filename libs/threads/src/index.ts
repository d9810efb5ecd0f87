export {
  connect,
  type Methods,
  type Remote,
  type Served,
  serve,
  serveError,
  ThreadGoneError,
  transferring,
} from './calls.ts';
export { type MethodNames, proxyPort, remotePort } from './proxy.ts';
export { startWorker, type WorkerOptions } from './worker.ts';
