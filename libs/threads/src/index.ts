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
export { startWorker } from './worker.ts';
