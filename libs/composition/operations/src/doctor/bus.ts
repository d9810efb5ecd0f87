import { withoutCredentials } from '#platform/kernel';
import { type Check, ok, within } from './check.ts';

export const PING_MS = 3_000;

export const bus: Check = {
  name: 'bus and blobs',
  about: 'The bus gives work to the processes; blobs are uploaded files and long texts.',
  async run({ engines, config }, { versions }) {
    const { nats, files } = engines;
    if (nats === null) return ok(`inside the process; ${files.blobs}`);
    if ('away' in nats) throw nats.away;
    const where = withoutCredentials(config.natsUrl as string);
    const took = await within(PING_MS, nats.opened.rtt()).catch((error: Error) => {
      throw new Error(`NATS at ${where} cannot be reached: ${error.message}`);
    });
    versions.NATS = nats.opened.info?.version ?? 'of unknown version';
    return ok(`${where}, NATS ${versions.NATS}; answers in ${took} ms`);
  },
};
