import { inspectNatsBus } from '#ports/message-bus';
import { PING_MS } from './bus.ts';
import { type Check, ok, required, UnknownResultError, within } from './check.ts';

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
      return ok(`work: ${stage}`, `${waiting} waiting, ${delivered}, ${redelivered} of these redelivered`);
    });
    const name = 'dead letters';
    const about = 'Messages on the bus that no process could read.';
    if (deadLetters === 0) return [...results, { ...ok(name, 'none'), about }];
    const detail = `${deadLetters} messages could not be read`;
    return [...results, { name, state: 'warning', detail, about, advice: 'See the reasons: mneme dead-letters list' }];
  },
};
