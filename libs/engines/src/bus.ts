import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { MessageBus } from '#message-bus';
import { type Leases, ownLeases } from './leases.ts';

/** How work reaches the stages, and how processes agree on who does what only one may do. */
export interface WorkBus {
  /** What Nest listens with, and what the process manager sends with. */
  readonly bus: MessageBus & CustomTransportStrategy;
  readonly leases: Leases;
}

/** Opens the bus that the settings choose. Nest's part of it is loaded only here: a command line does without. */
export async function openWorkBus(): Promise<WorkBus> {
  const { InProcessBus } = await import('#message-bus');
  return { bus: new InProcessBus(), leases: ownLeases };
}
