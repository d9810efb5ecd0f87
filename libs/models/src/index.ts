export { type BareModel, type ModelFiles, openBareModel, type TextKind } from './bare-model.ts';
export { EmbedderOff } from './embedder-off.ts';
export { type InstallOptions, type InstallProgress, installModel } from './install-model.ts';
export { LocalEmbedder, type LocalEmbedderOptions, type ModelLogger } from './local-embedder.ts';
export {
  e5SmallV2,
  type FileReport,
  inspectModel,
  type ModelEntry,
  type ModelFile,
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
