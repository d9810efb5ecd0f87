export { toRow } from './document-row.ts';
export { Projector, type ProjectorOptions, type VectorSource } from './projector.ts';
export { type ProjectionOptions, runProjection } from './runner.ts';
