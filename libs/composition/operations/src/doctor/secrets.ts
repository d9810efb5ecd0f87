import { type Check, ok, required, warning } from './check.ts';

export const secrets: Check = {
  name: 'secrets',
  about: 'What the server signs in with elsewhere, sealed with the master key.',
  async run({ engines }) {
    const stored = await required(engines.secrets, 'NATS').list(null);
    if (stored.length === 0) return ok('none');
    const closed = stored.filter(({ opens }) => !opens);
    const count = `${stored.length} stored`;
    if (closed.length === 0) return ok(`${count}, sealed with the keys in ${engines.masterKeys.place}`);
    const keys = [...new Set(closed.map(({ key }) => key))].join(', ');
    const advice = `Bring the key back to ${engines.masterKeys.place}, or sign in again where they are used. Documents are not affected.`;
    return warning(
      `${count}; ${closed.length} of them cannot be opened: they are sealed with another key (${keys})`,
      advice,
    );
  },
};
