import type { Scope } from '#kernel';
import type { QuestionVector, ViewsReader } from '#views';
import type { Space } from './group-embedder.ts';
import type { SpaceEmbedders } from './space-embedders.ts';

/** Embeds questions in the spaces of other languages, where documents of their scope have vectors in these. */
export class LanguageQuestions {
  readonly #embedders: Pick<SpaceEmbedders, 'forLanguages' | 'usesLanguages'>;
  readonly #views: Pick<ViewsReader, 'heldSpaces'>;

  constructor(
    embedders: Pick<SpaceEmbedders, 'forLanguages' | 'usesLanguages'>,
    views: Pick<ViewsReader, 'heldSpaces'>,
  ) {
    this.#embedders = embedders;
    this.#views = views;
  }

  /**
   * Returns the vectors of each text. None in a space of which the scope holds no vectors, so that its model is not loaded for
   * English questions on English documents; none in one whose model cannot be had in time.
   */
  async vectorsOf(texts: readonly string[], scope: Scope): Promise<readonly (readonly QuestionVector[])[]> {
    const spaces = this.#embedders.usesLanguages ? this.#embedders.forLanguages() : [];
    if (spaces.length === 0) return texts.map(() => []);
    const names = spaces.map(({ name }) => name);
    const held = await this.#views.heldSpaces(scope, names);
    const found = await Promise.all(
      spaces.filter(({ name }) => held.includes(name)).map((space) => vectorsIn(space, texts)),
    );
    return texts.map((_, text) => found.flatMap((vectors) => vectors[text] ?? []));
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
