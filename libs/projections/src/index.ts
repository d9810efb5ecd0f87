export { type CompareOptions, compareViews, type Difference } from './compare.ts';
export { toRow, toUnreadableRow } from './document-row.ts';
export { type Incomplete, type Projected, Projector, type ProjectorOptions } from './projector.ts';
export { type ProjectionOptions, runProjection, type Written } from './runner.ts';
