export { BackgroundWork, type BackgroundWorkOptions } from './background-work.ts';
export { type BesideOptions, embedBeside, forgetOtherSpaces, isModelGone, type Space } from './embedding.ts';
export { type LaneLimits, Lanes, type Waiting } from './lanes.ts';
export {
  atOnce,
  ProcessManager,
  type ProcessManagerOptions,
  type ProcessManagerTiming,
  patternOf,
} from './process-manager.ts';
export { StagesController } from './stages.controller.ts';
export { Stages, type StagesOptions } from './stages.ts';
export { TextWorker } from './text-worker.ts';
export type { Work } from './work.ts';
