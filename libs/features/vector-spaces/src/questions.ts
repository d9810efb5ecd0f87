import type { Scope } from '#platform/kernel';
import type { QuestionVector, ViewsReader } from '#read-side/views';
import type { GroupEmbedder } from './group-embedder.ts';
import type { LanguageQuestions, LanguageVectors } from './language-questions.ts';

/** Searches for one question at most, while the space of the views changes. */
const LOOKS = 3;

/** Embeds questions in the space of the views. Without a model, search goes by words alone. */
export class Questions {
  readonly #embedder: GroupEmbedder;
  readonly #views: Pick<ViewsReader, 'vectorSpace'>;
  readonly #languages: LanguageQuestions | null;

  /** @param languages null: no document has vectors of a space for other languages */
  constructor(
    embedder: GroupEmbedder,
    views: Pick<ViewsReader, 'vectorSpace'>,
    languages: LanguageQuestions | null = null,
  ) {
    this.#embedder = embedder;
    this.#views = views;
    this.#languages = languages;
  }

  /**
   * Searches with the vectors of each form of a question: in the serving space, and in that of other languages if
   * documents of the scope have vectors in it. While spaces change, searches again if the views turn out to be of another space.
   * @param texts the forms; all of them have vectors of the same spaces
   * @param isPast the question is about a past time
   */
  async search<T>(
    scope: Scope,
    texts: readonly string[],
    find: (vectors: readonly (readonly QuestionVector[])[]) => Promise<T>,
    isPast = false,
  ): Promise<T> {
    const changing = this.#embedder.coming !== null;
    let space: string | null = null;
    const others = (await this.#languages?.vectorsOf(texts, scope, isPast)) ?? null;
    for (let look = 1; ; look += 1) {
      const own = await this.#vectorsOf(texts, space);
      const vectors = others === null ? own : own.map((each, form) => joined(each, others, form));
      const found = await find(vectors);
      if (!(changing || this.#embedder.coming !== null) || look === LOOKS) return found;
      space = await this.#views.vectorSpace();
      if (space === null || vectors.flat().some((vector) => vector.space === space)) return found;
    }
  }

  /** @param wanted null: the space that serves as far as this process knows */
  async #vectorsOf(texts: readonly string[], wanted: string | null): Promise<readonly (readonly QuestionVector[])[]> {
    for (const space of [this.#embedder.serving, this.#embedder.coming]) {
      if (space?.embedder.status().state !== 'ready' || (wanted !== null && space.name !== wanted)) continue;
      try {
        const values = await Promise.all(texts.map((text) => space.embedder.embedQuestion(text)));
        return values.map((each) => [{ space: space.name, values: each }]);
      } catch {
        // The model can go between the look at its status and the question. Words still find documents.
        return texts.map(() => []);
      }
    }
    return texts.map(() => []);
  }
}

/** In the order in which documents are compared. The serving space may be one of other languages too. */
function joined(
  own: readonly QuestionVector[],
  { vectors, come }: LanguageVectors,
  form: number,
): readonly QuestionVector[] {
  const others = (vectors[form] ?? []).filter(({ space }) => own.every((one) => one.space !== space));
  return come === 'first' ? [...others, ...own] : [...own, ...others];
}
