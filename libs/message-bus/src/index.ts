import type { NatsBusOptions, OpenedNatsBus } from './adapters/nats/open.ts';

export { InProcessBus } from './adapters/in-process/in-process-bus.ts';
export type { NatsBusOptions, OpenedNatsBus } from './adapters/nats/open.ts';
export {
  type DeadLetter,
  type DeadLetters,
  MESSAGE_BUS,
  type MessageBus,
  WORK,
  type WorkMessage,
} from './port.ts';

/** The bus on NATS JetStream, whose driver is loaded here. Streams and consumers are made where they are missing. */
export async function openNatsBus(options: NatsBusOptions): Promise<OpenedNatsBus> {
  const { openBus } = await import('./adapters/nats/open.ts');
  return openBus(options);
}
