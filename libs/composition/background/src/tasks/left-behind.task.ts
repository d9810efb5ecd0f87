import { collectGarbage } from '#features/documents/clean-up';
import { keepSwept } from '#features/vector-spaces';
import type { LeasedTask } from '../leased-task.ts';

/** Removes what nothing in the log owns any more. */
export const leftBehind: LeasedTask = {
  name: 'left-behind',
  async run({ parts, embedders, clock, logger }, { signal }) {
    const { documents, texts, erasure, storage } = parts;
    const { store, blobs, vectors, streamKeys } = storage;
    const options = { store, blobs, vectors, streamKeys, documents, texts, erasure, embedders, clock, logger, signal };
    // Both go on until the signal aborts; the first to see it ends this.
    await Promise.race([collectGarbage(options), keepSwept(options)]);
  },
};
