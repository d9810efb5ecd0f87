export { Load } from './load.ts';
export { Pages } from './pages/pages.ts';
export { PassageJobs } from './passage-jobs.ts';
export { Pictures } from './pictures/pictures.ts';
export { Pipeline, type PipelineOptions } from './pipeline.ts';
export { atOnce } from './process-manager/limits.ts';
export {
  ProcessManager,
  type ProcessManagerTiming,
} from './process-manager/process-manager.ts';
export { StagesController } from './stages.controller.ts';
export { Stages, type StagesActivity } from './stages.ts';
export { TextJobs } from './text-jobs.ts';
