import type { BuildingModel } from '#read-side/views';
import type { ProjectionOptions } from './options.ts';
import { pagesUntil } from './pages.ts';
import { writeBatch } from './write-batch.ts';

/** Events of a batch; small, so that the batches of the other read models, which take turns with it, wait for little. */
const BATCH = 256;

/**
 * Builds one read model from the log while the others follow it. Events behind the checkpoint at which it was created
 * reach it together with the others, so it is complete when the log has been read up to there.
 * @throws as `writeBatch`
 */
export async function buildModel(options: ProjectionOptions, { name, after, until }: BuildingModel): Promise<void> {
  const { store, writer, signal } = options;
  const projector = options.projector.only(name);
  const pages = pagesUntil({ store, after, until, filter: { types: projector.opens }, limit: BATCH, signal });
  for await (const { events, position } of pages) {
    const isLast = store.compare(position, until) >= 0;
    const project = () => projector.latestOf(events);
    await writeBatch(options, project, (changes) => writer.build(name, changes, isLast ? null : position));
  }
}
