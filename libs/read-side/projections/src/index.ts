export { compareViews, type Difference } from './compare.ts';
export { memoryRow, toRow, toUnreadableRow } from './document-row.ts';
export { Projector } from './projector.ts';
export type { DeferredUnits } from './read-model.ts';
export { type CutUnits, cutUnits, readUnits } from './read-models/cut-units.ts';
export { READ_MODELS } from './read-models/index.ts';
export type { WrittenCounts } from './runner/options.ts';
export { runProjection, servedCheckpoint } from './runner/run-projection.ts';
