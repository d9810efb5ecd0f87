import type { ModelStatus } from '#ports/models';
import { isModelGone } from '../embed-units.ts';
import type { ChangeSources, SpaceOptions } from './change-sources.ts';
import { DocumentPass } from './document-pass.ts';
import type { DocumentName } from './each-document.ts';
import { modelReady } from './model-ready.ts';

export type ChangeProgress =
  | { readonly phase: 'model'; readonly state: ModelStatus['state'] }
  | { readonly phase: 'embed' | 'release'; readonly documents: number; readonly vectors: number }
  | { readonly phase: 'rebuild'; readonly documents: number; readonly units: number };

/** `space` is to be the serving one. It has been begun. */
export interface ChangeOptions extends SpaceOptions {
  readonly onProgress: (progress: ChangeProgress) => void;
}

/** Embeds the documents of the log in another space of a group. */
export abstract class GroupChange<Options extends ChangeOptions = ChangeOptions> {
  protected readonly sources: ChangeSources;
  protected readonly options: Options;
  protected readonly pass: DocumentPass;
  #vectors = 0;

  constructor(sources: ChangeSources, options: Options) {
    this.sources = sources;
    this.options = options;
    const onProgress = (documents: number) => options.onProgress({ phase: 'embed', documents, vectors: this.#vectors });
    this.pass = new DocumentPass(sources, { ...options, onProgress });
  }

  /** Vectors that were made. */
  get vectors(): number {
    return this.#vectors;
  }

  /** Documents that could not be embedded. Those that can be read are found by their words. */
  get skipped(): number {
    return this.pass.skipped.size;
  }

  /** Returns how many vectors had to be made. */
  protected abstract vectorsFor(name: DocumentName): Promise<number>;

  protected isModelReady(): boolean | Promise<boolean> {
    return this.options.embedder.status().state === 'ready';
  }

  protected modelReady(): Promise<void> {
    const onWait = (state: ModelStatus['state']) => this.options.onProgress({ phase: 'model', state });
    return modelReady(this.sources, this.options, onWait, () => this.isModelReady());
  }

  protected async embed(name: DocumentName): Promise<void> {
    try {
      this.#vectors += await this.vectorsFor(name);
    } catch (error) {
      // The pass tries again, which needs the model.
      if (isModelGone(error)) await this.modelReady();
      throw error;
    }
  }
}
