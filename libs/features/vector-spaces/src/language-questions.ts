import { isOtherThanEnglish } from '#features/search';
import type { Scope } from '#platform/kernel';
import type { QuestionVector, ViewsReader } from '#read-side/views';
import type { Space } from './group-embedder.ts';
import { DEFAULT_GROUP } from './groups.ts';
import type { AskedContainers } from './languages/asked-containers.ts';
import type { SpaceEmbedders } from './space-embedders.ts';

/** A question in the spaces of other languages. */
export interface LanguageVectors {
  /** Of each of its forms. */
  readonly vectors: readonly (readonly QuestionVector[])[];
  /** The question is in another language, so documents with vectors in these spaces and their own are compared in these. */
  readonly come: 'first' | 'last';
}

/**
 * Embeds questions in the spaces of other languages, where documents of their scope have vectors in these, and reports
 * which scopes are asked in another language.
 */
export class LanguageQuestions {
  readonly #embedders: Pick<SpaceEmbedders, 'forLanguages' | 'usesLanguages' | 'of'>;
  readonly #views: Pick<ViewsReader, 'heldSpaces'>;
  readonly #asked: Pick<AskedContainers, 'report'>;

  constructor(
    embedders: Pick<SpaceEmbedders, 'forLanguages' | 'usesLanguages' | 'of'>,
    views: Pick<ViewsReader, 'heldSpaces'>,
    asked: Pick<AskedContainers, 'report'>,
  ) {
    this.#embedders = embedders;
    this.#views = views;
    this.#asked = asked;
  }

  /**
   * Returns the vectors of each form of a question. None in a space in which no document has its own vectors, so that its model
   * is not loaded for English questions on English documents; a question in another language is also compared with the second
   * vectors of these. None in a space whose model cannot be had in time.
   * @param texts the forms; the first one is the question as it came
   * @param isPast the question is about a past time: the documents of then may have left the scope, or have other content now
   */
  async vectorsOf(texts: readonly string[], scope: Scope, isPast = false): Promise<LanguageVectors> {
    const spaces = this.#embedders.forLanguages();
    const isOther = spaces.length > 0 && isOtherThanEnglish(texts[0] ?? '');
    const come = isOther ? 'first' : 'last';
    if (spaces.length === 0 || (!isOther && !this.#embedders.usesLanguages))
      return { vectors: texts.map(() => []), come };
    const english = this.#embedders.of(DEFAULT_GROUP).serving.name;
    const names = spaces.map(({ name }) => name);
    const held = await this.#views.heldSpaces(scope, isOther ? [...names, english] : names);
    if (held.some(({ space }) => space === english)) this.#asked.report(scope);
    const isHeld = (name: string) => held.some(({ space, isOwn }) => space === name && (isOwn || isOther));
    const wanted = isPast && this.#embedders.usesLanguages ? spaces : spaces.filter(({ name }) => isHeld(name));
    const found = await Promise.all(wanted.map((space) => vectorsIn(space, texts)));
    return { vectors: texts.map((_, text) => found.flatMap((vectors) => vectors[text] ?? [])), come };
  }
}

/** Words still find the documents of a model that cannot be had. */
const vectorsIn = async ({ name, embedder }: Space, texts: readonly string[]): Promise<readonly QuestionVector[]> => {
  try {
    const values = await Promise.all(texts.map((text) => embedder.embedQuestion(text)));
    return values.map((each) => ({ space: name, values: each }));
  } catch {
    return [];
  }
};
