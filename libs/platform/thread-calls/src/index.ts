export {
  connect,
  type Remote,
  type Served,
  serve,
  serveError,
  ThreadGoneError,
  transferring,
} from './calls.ts';
export { proxyPort, remotePort } from './proxy.ts';
export { RestartableThread, type RunningThread, startThread } from './restartable-thread.ts';
export { startWorker } from './worker.ts';
