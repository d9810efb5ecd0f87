import { DEFAULT_GROUP, keepLanguages, keepTokens, keepToSelectedSpace } from '#features/vector-spaces';
import type { LeasedTask } from '../leased-task.ts';

/** Keeps the vectors of all documents to the spaces that are selected and asked for. */
export const vectorSpace: LeasedTask = {
  name: 'vector-space',
  async run({ parts, embedders, logger }, { signal }) {
    const spaces = { ...parts, store: parts.storage.store, vectors: parts.storage.vectors };
    const options = { logger, signal };
    await Promise.all([
      keepToSelectedSpace(parts, DEFAULT_GROUP, options),
      keepLanguages(spaces, embedders, options),
      keepTokens(spaces, embedders.of(DEFAULT_GROUP), options),
    ]);
  },
};
