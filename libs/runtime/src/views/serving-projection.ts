import { DEFAULT_GROUP, servingSpace } from '#vector-spaces';
import type { ReportedProgress } from '../progress/reported.ts';
import type { Storage } from '../storage/open-storage.ts';
import { ProjectionThread } from './projection-thread.ts';

/** Opens the projection of the views that serve, which reports their progress. */
export async function openServingProjection(
  storage: Storage,
  progress: ReportedProgress,
  logger: { error(message: string, cause?: unknown): void },
): Promise<ProjectionThread> {
  const projection = await ProjectionThread.open(
    storage,
    { kind: 'file', path: storage.files.views, space: await servingSpace(storage.store, DEFAULT_GROUP) },
    {
      progress: (position) => progress.report(position),
      late: (organization, id, isLate) => progress.reportLate(organization, id, isLate),
      fault: (error) => logger.error(`the views could not follow the log and try again: ${String(error)}`, error),
    },
  );
  progress.begin(projection.checkpoint);
  return projection;
}
