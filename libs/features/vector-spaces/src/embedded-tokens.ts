import { type EmbeddedPassage, type EmbeddedTexts, tokenKey } from '#features/vector-spaces/model';
import { encodeTokens, type QuantizedVector } from '#ports/vector-store';

export type Window = Extract<EmbeddedPassage, { readonly kind: 'window' }>;

/** What is stored under a key. */
interface Entry {
  readonly key: string;
  readonly vector: QuantizedVector;
}

/** Where the tokens of a document's units are stored in one space. */
export class TokenKeys {
  readonly #space: string;
  readonly #organization: string;

  constructor(space: string, organization: string) {
    this.#space = space;
    this.#organization = organization;
  }

  /** Keys of the units of each text of a window. */
  ofWindow({ units }: Window): readonly (readonly string[])[] {
    return units.map((ids) => ids.map((id) => this.#keyOf(id)));
  }

  /** Of all units of the document. */
  *of({ passages, members }: EmbeddedTexts): Generator<string> {
    for (const window of new Set(passages.values())) if (window.kind === 'window') yield* this.ofWindow(window).flat();
    for (const chunk of members.keys()) yield this.#keyOf(chunk);
  }

  /** Records of the chunks that are compared by the tokens of their memories. */
  ofChunks({ members }: EmbeddedTexts): readonly Entry[] {
    return [...members].map(([chunk, memories]) => {
      const keys = memories.map((id) => this.#keyOf(id));
      return { key: this.#keyOf(chunk), vector: encodeTokens({ kind: 'parts', keys }) };
    });
  }

  #keyOf(id: string): string {
    return tokenKey(this.#space, this.#organization, id);
  }
}
