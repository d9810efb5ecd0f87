import { removedStreams as findRemoved } from '#features/documents/clean-up';
import { andMore, type Check, logOf, ok } from './check.ts';

const NAMED = 10;

export const removedStreams: Check = {
  name: 'removed streams',
  about: "Streams that were removed with the event log's own tools; their documents count as deleted.",
  async run(context) {
    if (context.config.eventStoreUrl === null) return [];
    const streams = await findRemoved(logOf(context));
    if (streams.length === 0) return ok('none');
    return ok(`${streams.length}: ${streams.slice(-NAMED).join(', ')}${andMore(streams.length, NAMED)}`);
  },
};
