import { andMore, type Check, failure, messageOf, ok, warning } from './check.ts';

const NAMED = 3;

export const leftOutRows: Check = {
  name: 'left out rows',
  about:
    'What read models beside the documents lack because the views have refused it. Everything else follows the log.',
  async run({ engines: { reader } }) {
    if ('away' in reader) return warning(messageOf(reader.away), '');
    const rows = await reader.opened.leftOut();
    if (rows.length === 0) return ok('none');
    const named = rows.slice(0, NAMED).map(({ model, stream, reason }) => `${stream} in ${model}: ${reason}`);
    const detail = `${rows.length}: ${named.join('; ')}${andMore(rows.length, NAMED)}`;
    const advice =
      'Remove the reason, then run `mneme replay`. The next change of what is named there writes it again as well.';
    return failure(detail, advice);
  },
};
