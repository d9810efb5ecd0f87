import type { NatsConnection } from '#platform/nats';
import type { InspectedBus } from './adapters/nats/inspect.ts';
import type { NatsBusOptions, OpenedNatsBus } from './adapters/nats/open.ts';

export { InProcessBus } from './adapters/in-process/in-process-bus.ts';
export type { InspectedBus } from './adapters/nats/inspect.ts';
export type { NatsBusOptions, OpenedNatsBus } from './adapters/nats/open.ts';
export { HandlerErrors } from './handler-errors.ts';
export {
  type DeadLetter,
  type DeadLetters,
  type MessageBus,
  WORK,
  type WorkCause,
  type WorkMessage,
} from './port.ts';
export { RetryAtError } from './retry-at.ts';

/** Opens the bus on NATS JetStream. The first call loads the driver. Streams and consumers are created as needed. */
export async function openNatsBus(options: NatsBusOptions): Promise<OpenedNatsBus> {
  const { openBus } = await import('./adapters/nats/open.ts');
  return openBus(options);
}

/** Returns how much work is on the bus. @throws Error if it does not answer */
export async function inspectNatsBus(options: {
  readonly connection: NatsConnection;
  readonly prefix: string;
}): Promise<InspectedBus> {
  const { inspect } = await import('./adapters/nats/inspect.ts');
  return inspect(options.connection, options.prefix);
}
