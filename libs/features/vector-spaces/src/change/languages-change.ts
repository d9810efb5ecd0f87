import { isModelGone } from '../embed-units.ts';
import { embedInLanguages } from '../languages/embed-in-languages.ts';
import type { DocumentName } from './each-document.ts';
import { GroupChange } from './group-change.ts';
import { supersededError } from './model-ready.ts';

/**
 * Changes the space of documents in other languages, also of those that were embedded like English ones. Each
 * document leaves its former space by an event of its own, as it would after an update, and new ones are embedded in the new
 * space from the beginning; until the end, questions are asked in both.
 */
export class LanguagesChange extends GroupChange {
  #moved = 0;

  /** @throws SpaceChangeError; transient errors, after which another change of the same space goes on */
  async run(): Promise<void> {
    const { spaces } = this.sources;
    const { group, space, signal } = this.options;
    await this.modelReady();
    // A process that had not followed yet may have embedded documents in the former space behind the pass.
    do {
      this.#moved = 0;
      await this.pass.run((name) => this.embed(name));
    } while (this.#moved > 0 && !signal.aborted);
    if (signal.aborted) return;
    if (!(await spaces.select(group, space)).ok) throw supersededError((await spaces.load(group)).serving);
  }

  /** A model that is loaded on demand says that it can be had by embedding something. */
  protected override async isModelReady(): Promise<boolean> {
    const { embedder, signal } = this.options;
    try {
      await embedder.embedPassages(['passage'], { signal });
      return true;
    } catch (error) {
      if (signal.aborted || !isModelGone(error)) throw error;
      return false;
    }
  }

  protected override async vectorsFor(name: DocumentName): Promise<number> {
    const { space, embedder } = this.options;
    const inSpace = { name: space, embedder };
    const made = await embedInLanguages(this.sources, inSpace, name, ({ secondSpace }) => secondSpace !== null);
    if (made === null) return 0;
    this.#moved += 1;
    return made;
  }
}
