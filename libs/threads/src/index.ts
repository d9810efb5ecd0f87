export {
  connect,
  type Remote,
  type Served,
  serve,
  serveError,
  ThreadGoneError,
  transferring,
} from './calls.ts';
export { startWorker } from './worker.ts';
