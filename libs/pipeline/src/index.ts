export { type LaneLimits, Lanes, type Waiting } from './lanes.ts';
export { patternOf, ProcessManager, type ProcessManagerOptions } from './process-manager.ts';
export { StagesController } from './stages.controller.ts';
export { Stages, type StagesOptions } from './stages.ts';
export { TextWorker } from './text-worker.ts';
