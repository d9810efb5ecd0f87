import { type Check, ok, readerOf, warning } from './check.ts';

/** Work without progress for longer is reported. */
const STUCK_MS = 10 * 60_000;

export const backlog: Check = {
  name: 'backlog',
  about: 'Documents that were added and are not done yet.',
  async run(context, shared) {
    const { clock, config } = context;
    const reader = await readerOf(context, shared);
    const count = await reader.countUnfinished();
    const [oldest] = await reader.unfinished({ after: null, limit: 1 });
    if (oldest === undefined) return ok('nothing waits');
    const idle = clock.now() - oldest.updatedAt;
    const detail = `${count} unfinished; longest without progress is ${oldest.id}, ${oldest.stage} for ${Math.round(idle / 1000)} s`;
    if (count >= config.maxBacklog) {
      const advice = 'Adds answer 503 until the backlog shrinks. Add workers or wait.';
      return warning(detail, advice);
    }
    if (idle < STUCK_MS) return ok(detail);
    const advice = `Inspect its events: mneme events export --document ${oldest.id}`;
    return warning(detail, advice);
  },
};
