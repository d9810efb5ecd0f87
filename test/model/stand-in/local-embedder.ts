import type { ModelEntry } from '#ports/models';
import { StandInEmbedder } from './embedder.ts';

/** Takes the place of the class of this name in a server of the tests. */
export class LocalEmbedder {
  static start({ model }: { readonly model: ModelEntry }): StandInEmbedder {
    return new StandInEmbedder(model.space.name);
  }
}
