import { DEFAULT_GROUP, servingSpace } from '#features/vector-spaces';
import type { ReportedProgress } from '../progress/reported.ts';
import type { Storage } from '../storage/open-storage.ts';
import { ForeignViews, type ViewsLogger } from './foreign-views.ts';
import { ProjectionThread } from './projection-thread.ts';

/** Opens the projection of the views that serve, which reports their progress. */
export async function openServingProjection(
  storage: Storage,
  progress: ReportedProgress,
  logger: ViewsLogger,
): Promise<ProjectionThread> {
  const foreign = new ForeignViews(storage.store, logger);
  const projection = await ProjectionThread.open(
    storage,
    { kind: 'file', path: storage.files.views, space: await servingSpace(storage.store, DEFAULT_GROUP) },
    {
      progress: (position, written) => {
        progress.report(position);
        foreign.progress(position, written);
      },
      late: (organization, id, isLate) => progress.reportLate(organization, id, isLate),
      fault: (error) => logger.error(`the views could not follow the log and try again: ${String(error)}`, error),
      foreign: () => foreign.found(),
    },
  );
  progress.begin(projection.checkpoint);
  return projection;
}
