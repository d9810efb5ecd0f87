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
export { startWorker, type WorkerOptions } from './worker.ts';
