export type { ConnectionDocumentsContext } from './connection-work.ts';
export { followOthers, hideDeleted } from './follow-others.ts';
export { HEALTH_REPORTER, type HealthReporter } from './server-health.ts';
export {
  type Application,
  type Edge,
  type RunningServer,
  type ServerRuntime,
  startServer,
} from './start-server.ts';
export { startWorker } from './start-worker.ts';
