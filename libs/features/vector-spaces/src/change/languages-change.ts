import { setTimeout as pause } from 'node:timers/promises';
import { isModelGone } from '../embed-units.ts';
import { SpaceChangeError } from '../errors.ts';
import { embedInLanguages } from '../languages/embed-in-languages.ts';
import type { ChangeSources, SpaceOptions } from './change-sources.ts';
import { DocumentPass } from './document-pass.ts';
import type { DocumentName } from './each-document.ts';
import { superseded } from './model-ready.ts';
import type { ChangeProgress } from './space-change.ts';

/** Milliseconds. */
const POLL_MS = 250;

export interface LanguagesChangeOptions extends SpaceOptions {
  readonly onProgress: (progress: ChangeProgress) => void;
}

/**
 * Changes the space of documents in other languages, also of those that were embedded like English ones. Each
 * document leaves its former space by an event of its own, as it would after an update, and new ones are embedded in the new
 * space from the beginning; until the end, questions are asked in both.
 */
export class LanguagesChange {
  readonly #sources: ChangeSources;
  readonly #options: LanguagesChangeOptions;
  readonly #pass: DocumentPass;
  #vectors = 0;
  #moved = 0;

  constructor(sources: ChangeSources, options: LanguagesChangeOptions) {
    this.#sources = sources;
    this.#options = options;
    const onProgress = (documents: number) => options.onProgress({ phase: 'embed', documents, vectors: this.#vectors });
    this.#pass = new DocumentPass(sources, { ...options, onProgress });
  }

  /** Vectors that were made. */
  get vectors(): number {
    return this.#vectors;
  }

  /** Documents that could not be embedded. They are found by their words. */
  get skipped(): number {
    return this.#pass.skipped.size;
  }

  /** @throws SpaceChangeError; transient errors, after which another change of the same space goes on */
  async run(): Promise<void> {
    const { spaces } = this.#sources;
    const { group, space, signal } = this.#options;
    await this.#modelLoaded();
    // A process that had not followed yet may have embedded documents in the former space behind the pass.
    do {
      this.#moved = 0;
      await this.#pass.run((name) => this.#move(name));
    } while (this.#moved > 0 && !signal.aborted);
    if (signal.aborted) return;
    if (!(await spaces.select(group, space)).ok) throw superseded((await spaces.load(group)).serving);
  }

  /** A model that is loaded on demand says that it can be had by embedding something. */
  async #modelLoaded(): Promise<void> {
    const { group, space, embedder, signal, onProgress } = this.#options;
    for (let reported = ''; !signal.aborted; ) {
      try {
        await embedder.embedPassages(['passage'], { signal });
        return;
      } catch (error) {
        if (signal.aborted || !isModelGone(error)) throw error;
      }
      const status = embedder.status();
      const { serving, coming } = await this.#sources.spaces.load(group);
      if (serving !== space && coming !== space) throw superseded(serving);
      if (status.state === 'unavailable') {
        throw new SpaceChangeError(`The model of ${space} cannot be had: ${status.reason}`);
      }
      if (status.state !== reported) onProgress({ phase: 'model', state: status.state });
      reported = status.state;
      await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #move(name: DocumentName): Promise<void> {
    const { space, embedder } = this.#options;
    try {
      const made = await embedInLanguages(
        this.#sources,
        { name: space, embedder },
        name,
        ({ secondSpace }) => secondSpace !== null,
      );
      if (made === null) return;
      this.#vectors += made;
      this.#moved += 1;
    } catch (error) {
      // The pass tries again, which needs the model.
      if (isModelGone(error)) await this.#modelLoaded();
      throw error;
    }
  }
}
