import { isoTime } from '#platform/kernel';
import { andMore, type Check, failure, ok, repositoryOf } from './check.ts';

const NAMED = 3;

export const failingErasures: Check = {
  name: 'failing erasures',
  about: 'Deletions of which files, vectors or keys could not be removed yet. No answer shows them.',
  async run(context) {
    const { failing, unlisted } = await repositoryOf(context).erasures.load();
    const count = failing.length + unlisted;
    if (count === 0) return ok('none');
    const named = failing.slice(0, NAMED).map(({ stream, failures, since, reason }) => {
      return `${stream}, ${failures} times since ${isoTime(since)}: ${reason}`;
    });
    const detail = `${count}: ${named.join('; ')}${andMore(count, NAMED)}`;
    const advice = 'Remove the reason. Each is repeated at least every ten minutes, by a worker or the server.';
    return failure(detail, advice);
  },
};
