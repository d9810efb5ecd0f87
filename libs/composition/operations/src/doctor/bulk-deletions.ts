import { inspectDeletions } from '#features/documents';
import { type Check, logOf, ok, warning } from './check.ts';

/** A bulk deletion takes seconds; one that is older waits for a worker or for the views. */
const LONG_MS = 10 * 60_000;

export const bulkDeletions: Check = {
  name: 'bulk deletions',
  about: 'Deletions of many documents that have not ended.',
  async run(context) {
    const running = await inspectDeletions(logOf(context));
    const [oldest] = running;
    if (oldest === undefined) return ok('none runs');
    const detail = running
      .map(({ id, by, requestedAt, documents }) => `${id} by ${by} since ${requestedAt}: ${documents} deleted`)
      .join('; ');
    if (context.clock.now() - Date.parse(oldest.requestedAt) < LONG_MS) return ok(detail);
    const advice = 'It needs a server or a worker, and views that are up with the log.';
    return warning(detail, advice);
  },
};
