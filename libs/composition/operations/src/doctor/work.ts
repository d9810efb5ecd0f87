import { inspectNatsBus } from '#ports/message-bus';
import { PING_MS } from './bus.ts';
import { type Check, ok, required, UnknownResultError, warning, within } from './check.ts';

/** Reports a line per stage, then the messages that could not be read. */
export const work: Check = {
  name: 'work on the bus',
  about: 'Documents that wait for this stage of processing.',
  async run({ engines, config }) {
    const { nats } = engines;
    if (nats === null) return [];
    const connection = required(nats, 'NATS');
    // A request on a lost connection would wait for the reconnection.
    await within(PING_MS, connection.rtt()).catch(() => {
      throw new UnknownResultError('NATS');
    });
    const { work: stages, deadLetters } = await inspectNatsBus({ connection, prefix: config.prefix });
    const results = stages.map(({ stage, waiting, unacknowledged, redelivered }) => {
      const delivered = `${unacknowledged} delivered and not acknowledged`;
      return { ...ok(`${waiting} waiting, ${delivered}, ${redelivered} of these redelivered`), name: `work: ${stage}` };
    });
    const letters =
      deadLetters === 0
        ? ok('none')
        : warning(`${deadLetters} messages could not be read`, 'See the reasons: mneme dead-letters list');
    const about = 'Messages on the bus that no process could read.';
    return [...results, { ...letters, name: 'dead letters', about }];
  },
};
