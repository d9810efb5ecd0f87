import { isoTime } from '#platform/kernel';
import { type Check, failure, ok, repositoryOf } from './check.ts';

export const lostContent: Check = {
  name: 'lost content',
  about: 'Documents whose content is missing in the store that held it. If they are many at once, the views stop.',
  async run(context) {
    const { losses } = repositoryOf(context);
    if (context.acceptLoss && (await losses.accept())) {
      return ok('accepted: for an hour such documents fail, and the views continue within ten seconds');
    }
    const suspension = await losses.suspension();
    if (suspension === null) return ok('the views have not stopped for it');
    const { at, documents } = suspension;
    const found = documents === 1 ? 'the last one of them' : `${documents} of them at once`;
    const detail = `more than 10 documents within a minute, ${found}; the views have stopped at ${isoTime(at)}`;
    const advice =
      'Restore the store that held it; the views continue by themselves. ' +
      'Or accept that these documents fail: mneme doctor --accept-loss';
    return failure(detail, advice);
  },
};
