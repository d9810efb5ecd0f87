import { type Check, ok, repositoryOf } from './check.ts';

export const orphans: Check = {
  name: 'orphans',
  about:
    'Files of documents that the event log does not hold. They are kept after the log was replaced by another one.',
  async run(context) {
    const since = await repositoryOf(context).orphans.since();
    if (since === null) return ok('orphans', 'they are removed within a day');
    const advice =
      'If it is the right log, run mneme orphans, which counts them, then mneme orphans --remove. Otherwise stop the server ' +
      'and restore the right one.';
    return { name: 'orphans', state: 'warning', detail: `they are kept: another log is here since ${since}`, advice };
  },
};
