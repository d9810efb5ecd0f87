import { organizationsOf } from '#features/access';
import { countDocuments } from '../rebuild.ts';
import { type Check, logOf, ok, readerOf, warning } from './check.ts';

export const failedDocuments: Check = {
  name: 'failed documents',
  about: 'Documents whose processing ended without a result.',
  async run(context, shared) {
    const reader = await readerOf(context, shared);
    const count = await countDocuments(reader, await organizationsOf(logOf(context)), ['failed']);
    if (count === 0) return ok('none');
    const advice = 'See the reasons: mneme dead-letters list. Try again: mneme dead-letters retry.';
    return warning(String(count), advice);
  },
};
