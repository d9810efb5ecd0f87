export {
  ChildEndedError,
  JobMemoryError,
  JobOutputError,
  JobSlowError,
  JobTimeoutError,
} from './errors.ts';
export type { JobKind, JobLimits } from './kind.ts';
export { watchMemory } from './limits.ts';
export { type Job, type JobInput, type JobResult, Pool, type PoolOptions } from './pool.ts';
export { serveJobs } from './serve.ts';
