import type { FindNamed } from '#features/documents';
import type { CurrentViews } from '#read-side/views';

/** Documents with one customId that are looked at: callers stop at the first that they may change. */
const MOST = 1_000;

/** Finds documents by their customId in views that show everything that was written before. */
export const findNamedIn =
  (views: CurrentViews): FindNamed =>
  async (scope, customId) => {
    const reader = await views.read();
    const everything = { filter: null, filepath: null, stages: null } as const;
    const page = { sort: 'createdAt', order: 'asc', offset: 0, limit: MOST } as const;
    const { rows } = await reader.list({ scope, customIds: [customId], ...everything, ...page });
    return rows.map(({ id }) => id);
  };
