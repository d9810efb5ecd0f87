import type { QuestionVector } from '#views';
import type { SpaceEmbedders } from './space-embedders.ts';

/** Embeds questions in the space of other languages, once documents have vectors in it. */
export class LanguageQuestions {
  readonly #embedders: Pick<SpaceEmbedders, 'forLanguages' | 'usesLanguages'>;

  constructor(embedders: Pick<SpaceEmbedders, 'forLanguages' | 'usesLanguages'>) {
    this.#embedders = embedders;
  }

  /** @returns one vector for each text; null: no document is in another language, or the model cannot be had in time */
  async vectorsOf(texts: readonly string[]): Promise<readonly QuestionVector[] | null> {
    const space = this.#embedders.usesLanguages ? this.#embedders.forLanguages() : null;
    if (space === null) return null;
    const { name, embedder } = space;
    try {
      const values = await Promise.all(texts.map((text) => embedder.embedQuestion(text)));
      return values.map((each) => ({ space: name, values: each }));
    } catch {
      // Words still find these documents.
      return null;
    }
  }
}
