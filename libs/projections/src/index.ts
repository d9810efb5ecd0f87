export { type CompareOptions, compareViews, type Difference } from './compare.ts';
export { toRow, toUnreadableRow } from './document-row.ts';
export { Projector, type ProjectorOptions } from './projector.ts';
export type { Incomplete, Projected, ReadModel, VectorSource } from './read-model.ts';
export { READ_MODELS } from './read-models/index.ts';
export { eventModel, stateModel } from './row-models.ts';
export type { ProjectionOptions, Written } from './runner/options.ts';
export { runProjection, servedCheckpoint } from './runner/run-projection.ts';
