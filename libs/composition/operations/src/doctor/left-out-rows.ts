import { type Check, messageOf, ok } from './check.ts';

const NAME = 'left out rows';
const NAMED = 3;

export const leftOutRows: Check = {
  name: NAME,
  about:
    'What read models beside the documents lack because the views have refused it. Everything else follows the log.',
  async run({ engines: { reader } }) {
    if ('away' in reader) return { name: NAME, state: 'warning', detail: messageOf(reader.away), advice: '' };
    const rows = await reader.opened.leftOut();
    if (rows.length === 0) return ok(NAME, 'none');
    const named = rows.slice(0, NAMED).map(({ model, stream, reason }) => `${stream} in ${model}: ${reason}`);
    const others = rows.length > NAMED ? ` and ${rows.length - NAMED} more` : '';
    const detail = `${rows.length}: ${named.join('; ')}${others}`;
    const advice =
      'Remove the reason, then run `mneme replay`. The next change of what is named there writes it again as well.';
    return { name: NAME, state: 'failed', detail, advice };
  },
};
