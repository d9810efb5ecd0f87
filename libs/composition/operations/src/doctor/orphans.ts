import { type Check, ok, repositoryOf, warning } from './check.ts';

export const orphans: Check = {
  name: 'orphans',
  about:
    'Files of documents that the event log does not hold. They are kept after the log was replaced by another one.',
  async run(context) {
    const since = await repositoryOf(context).orphans.since();
    if (since === null) return ok('they are removed within a day');
    const advice =
      'If it is the right log, run mneme orphans, which counts them, then mneme orphans --remove. Otherwise stop the server ' +
      'and restore the right one.';
    return warning(`they are kept: another log is here since ${since}`, advice);
  },
};
