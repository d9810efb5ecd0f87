import type { Scope } from '#platform/kernel';
import type { QuestionVector, ViewsReader } from '#read-side/views';
import type { GroupEmbedder } from './group-embedder.ts';
import type { LanguageQuestions, LanguageVectors } from './language-questions.ts';

/** Vectors of the texts of a question. */
export interface EmbeddedQuestion {
  /** Of each text; all have vectors of the same spaces. */
  readonly vectors: readonly (readonly QuestionVector[])[];
  /** The serving space was about to change. */
  readonly isChanging: boolean;
}

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
   * Embeds the texts of a question in the serving space, and in that of other languages if documents of the scope have vectors
   * in it.
   * @param isPast the question is about a past time
   * @param space the space to embed in, as `otherSpace` has returned it. Null: the serving space that this process knows
   */
  async embed(
    texts: readonly string[],
    { scope, isPast, space }: { readonly scope: Scope; readonly isPast: boolean; readonly space: string | null },
  ): Promise<EmbeddedQuestion> {
    const isChanging = this.#embedder.coming !== null;
    const others = (await this.#languages?.vectorsOf(texts, scope, isPast)) ?? null;
    const own = await this.#vectorsOf(texts, space);
    const vectors = others === null ? own : own.map((each, form) => joined(each, others, form));
    return { vectors, isChanging };
  }

  /** Returns the space of the views, if these changed to it while they were searched with other vectors. Null: they did not. */
  async otherSpace({ vectors, isChanging }: EmbeddedQuestion): Promise<string | null> {
    if (!isChanging && this.#embedder.coming === null) return null;
    const space = await this.#views.vectorSpace();
    return vectors.flat().some((vector) => vector.space === space) ? null : space;
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
