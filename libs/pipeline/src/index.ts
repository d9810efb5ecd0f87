export { BackgroundWork, type BackgroundWorkOptions } from './background-work.ts';
export { Load } from './load.ts';
export { atOnce } from './process-manager/limits.ts';
export {
  ProcessManager,
  type ProcessManagerOptions,
  type ProcessManagerTiming,
} from './process-manager/process-manager.ts';
export { StagesController } from './stages.controller.ts';
export { Stages, type StagesOptions } from './stages.ts';
export { TextJobs, type TextJobsOptions } from './text-jobs.ts';
