import { Inject, Injectable } from '@nestjs/common';
import { EMBEDDER, type Embedder } from '#models';
import { type UnitSearchQuery, VIEWS_READER, type ViewsReader } from '#views';

type QuestionVector = UnitSearchQuery['vector'];

/** Looks at most, where the vector space changes under a question. */
const LOOKS = 3;

/** Gives a question its vector, where there is a model; search goes by words alone where there is none. */
@Injectable()
export class Questions {
  constructor(
    @Inject(EMBEDDER) private readonly embedder: Embedder,
    @Inject(VIEWS_READER) private readonly views: Pick<ViewsReader, 'vectorSpace'>,
  ) {}

  /**
   * Searches with the vector of a question. While vector spaces change, once more where the views turn out to be of another
   * space by now.
   */
  async search<T>(text: string, find: (vector: QuestionVector) => Promise<T>): Promise<T> {
    const changing = Boolean(this.embedder.coming);
    let space: string | null = null;
    for (let look = 1; ; look += 1) {
      const vector = await this.#vectorOf(text, space);
      const found = await find(vector);
      if (!(changing || this.embedder.coming) || look === LOOKS) return found;
      space = await this.views.vectorSpace();
      if (space === null || space === (vector?.space ?? null)) return found;
    }
  }

  /** @param space null: the one that serves as far as this process knows */
  async #vectorOf(text: string, space: string | null): Promise<QuestionVector> {
    for (const embedder of [this.embedder, this.embedder.coming]) {
      const status = embedder?.status();
      if (!embedder || status?.state !== 'ready' || (space !== null && status.space.name !== space)) continue;
      try {
        return { space: status.space.name, values: await embedder.embedQuestion(text) };
      } catch {
        // The model can go between the look at its state and the question; words still find what they can.
        return null;
      }
    }
    return null;
  }
}
