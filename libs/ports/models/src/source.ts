import type { Weights } from './model-files.ts';

/** Connects a source with the installation that uses it. */
export interface FetchControl {
  /** Must be called for all received bytes: a source that stalls is aborted. */
  received(bytes: number): void;
  /** Aborts if the source stalls or the installation is cancelled. */
  readonly signal: AbortSignal;
}

/** A source of model files. */
export interface ModelSource {
  /** Name in messages, e.g. `model hub`. */
  readonly name: string;
  /** Writes every file of the model into `folder` and checks sizes and checksums. @throws Error if it cannot */
  fetch(model: Weights, folder: string, control: FetchControl): Promise<void>;
}
