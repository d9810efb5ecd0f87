export { type BareModel, type ModelFiles, type ModelUsage, openBareModel, type TextKind } from './bare-model.ts';
export { EmbedderOff } from './embedder-off.ts';
export { type InstallOptions, type InstallProgress, installModel } from './install-model.ts';
export { LocalEmbedder, type LocalEmbedderOptions, type ModelLogger } from './local-embedder.ts';
export {
  bgeSmallEn,
  e5SmallV2,
  type FileReport,
  findModel,
  inspectModel,
  MODELS,
  type ModelEntry,
  type ModelFile,
  miniLmL6,
  modelFolder,
  modelPaths,
} from './model-files.ts';
export { defaultSources, folderSource, hubSource, type ModelSource, mavenSource, type Watch } from './model-sources.ts';
export {
  type Embedder,
  EmbeddingInterruptedError,
  type FailedAttempt,
  type ModelStatus,
  ModelUnavailableError,
  type VectorSpace,
} from './port.ts';
