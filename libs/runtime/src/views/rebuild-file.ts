import type { Position } from '#event-store';
import { DEFAULT_GROUP, servingSpace } from '#vector-spaces';
import { removeViews, type ViewsProgress, type ViewsReader } from '#views';
import { ReportedProgress } from '../progress/reported.ts';
import type { Storage } from '../storage/open-storage.ts';
import { ProjectionThread } from './projection-thread.ts';
import { startSearchThread } from './search-thread.ts';
import type { RebuildOptions } from './views.ts';

const LOOK_EVERY_MS = 1_000;

/** Where embedded views are rebuilt, beside those that serve. */
export const rebuiltPath = ({ files }: Storage): string => `${files.views}-rebuilt`;

/**
 * Builds views from the log in a second file.
 * @returns whether they are complete and wanted; otherwise the file is removed
 */
export async function rebuildFile(
  storage: Storage,
  serving: { readonly reader: ViewsReader; readonly progress: ViewsProgress },
  { space, onProgress, inspect, signal }: RebuildOptions,
  logger: { error(message: string): void },
): Promise<boolean> {
  const { store } = storage;
  const path = rebuiltPath(storage);
  removeViews(path);
  const head = await store.head();
  const progress = new ReportedProgress((a, b) => store.compare(a, b), null);
  const projection = await ProjectionThread.open(
    storage,
    { kind: 'file', path, space: space ?? (await servingSpace(store, DEFAULT_GROUP)) },
    {
      progress: (position, written) => {
        progress.report(position);
        onProgress(written);
      },
      fault: (message) => logger.error(`the new views could not follow the log and try again: ${message}`),
    },
  );
  let wanted = false;
  try {
    await projection.start();
    const reached = (position: Position | null) =>
      Promise.race([progress.reached(position, LOOK_EVERY_MS), projection.ended]);
    while (!signal.aborted && !(await reached(head)));
    const level = async () => {
      const now = await store.head();
      while (!signal.aborted && !(await reached(now)));
      while (!signal.aborted && !(await serving.progress.reached(now, LOOK_EVERY_MS)));
    };
    wanted = !signal.aborted && (inspect === undefined || (await inspected()));

    async function inspected(): Promise<boolean> {
      const rebuilt = startSearchThread({ path, cacheBytes: storage.settings.cacheBytes });
      try {
        return (await inspect?.({ serving: serving.reader, rebuilt, level })) ?? true;
      } finally {
        await rebuilt.close();
      }
    }
  } finally {
    await projection.close();
    if (!wanted) removeViews(path);
  }
  return wanted;
}
