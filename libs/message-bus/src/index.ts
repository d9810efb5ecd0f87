import type { NatsConnection } from '#nats';
import type { InspectedBus } from './adapters/nats/inspect.ts';
import type { NatsBusOptions, OpenedNatsBus } from './adapters/nats/open.ts';

export { InProcessBus } from './adapters/in-process/in-process-bus.ts';
export type { InspectedBus, WorkOnBus } from './adapters/nats/inspect.ts';
export type { NatsBusOptions, OpenedNatsBus } from './adapters/nats/open.ts';
export { HandlerErrors } from './handler-errors.ts';
export {
  type DeadLetter,
  type DeadLetters,
  MESSAGE_BUS,
  type MessageBus,
  WORK,
  type WorkCause,
  type WorkMessage,
} from './port.ts';
export { RetryAtError } from './retry-at.ts';

/** The bus on NATS JetStream, whose driver is loaded here. Streams and consumers are made where they are missing. */
export async function openNatsBus(options: NatsBusOptions): Promise<OpenedNatsBus> {
  const { openBus } = await import('./adapters/nats/open.ts');
  return openBus(options);
}

/** What stands on the bus at this moment. @throws Error when it does not answer */
export async function inspectNatsBus(options: {
  readonly connection: NatsConnection;
  readonly prefix: string;
}): Promise<InspectedBus> {
  const { inspect } = await import('./adapters/nats/inspect.ts');
  return inspect(options.connection, options.prefix);
}
