import { isoTime } from '#platform/kernel';
import { type Check, ok } from './check.ts';

export const server: Check = {
  name: 'server',
  about: 'The process that answers requests. Commands use it if it runs.',
  async run({ server: running, clock, config: { dataFolder } }) {
    if (running === null) return ok(`none runs on ${dataFolder}; this command has opened the folder`);
    const { startedAt } = running;
    const seconds = Math.round((clock.now() - startedAt) / 1000);
    return ok(`runs on ${dataFolder} since ${isoTime(startedAt)} (${seconds} s), process ${process.pid}`);
  },
};
