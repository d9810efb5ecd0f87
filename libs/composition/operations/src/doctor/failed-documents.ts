import { organizationsOf } from '#features/access';
import { type Check, logOf, ok, readerOf, warning } from './check.ts';

export const failedDocuments: Check = {
  name: 'failed documents',
  about: 'Documents whose processing ended without a result.',
  async run(context, shared) {
    const reader = await readerOf(context, shared);
    let count = 0;
    for (const organization of await organizationsOf(logOf(context))) {
      const { total } = await reader.list({
        ...{ scope: { organization, tags: 'all' }, holds: 'both', filter: null, filepath: null },
        ...{ stages: ['failed'], sort: 'updatedAt', order: 'asc', offset: 0, limit: 1 },
      });
      count += total;
    }
    if (count === 0) return ok('none');
    const advice = 'See the reasons: mneme dead-letters list. Try again: mneme dead-letters retry.';
    return warning(String(count), advice);
  },
};
