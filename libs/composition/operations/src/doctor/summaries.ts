import { type Check, ok, readerOf } from './check.ts';

export const summaries: Check = {
  name: 'summaries',
  about: 'Documents that are done and get their summary in the background.',
  async run(context, shared) {
    const count = await (await readerOf(context, shared)).countWithoutSummary();
    return ok(count === 0 ? 'none is missing' : `${count} documents that are done wait for theirs`);
  },
};
