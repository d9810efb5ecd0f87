import type { CustomTransportStrategy, Server } from '@nestjs/microservices';
import type { Clock } from '#platform/kernel';
import { InProcessLeases, type Leases, openNatsLeases } from '#ports/leases';
import type { DeadLetters, MessageBus } from '#ports/message-bus';
import { type EngineSettings, layoutOf } from './settings.ts';
import type { Storage } from './storage/open-storage.ts';

/** How work reaches the stages, and the leases for tasks that one process at a time may do. */
export interface WorkBus {
  readonly bus: MessageBus;
  /** What Nest listens with. */
  readonly strategy: Server & CustomTransportStrategy;
  readonly leases: Leases;
}

export interface WorkBusOptions {
  readonly clock: Clock;
  /** Messages of a pattern that this process handles at once, on a bus that several share. */
  readonly atOnce: (pattern: string) => number;
}

const busLayouts = (settings: EngineSettings) => ({
  layout: layoutOf(settings, 'work'),
  deadLettersLayout: layoutOf(settings, 'dead-letters'),
});

/** Messages that could not be read. Null: the bus is inside the process. */
export async function openDeadLetters({ nats, settings }: Storage): Promise<DeadLetters | null> {
  if (nats === null) return null;
  const { openNatsBus } = await import('#ports/message-bus');
  return (await openNatsBus({ connection: nats, prefix: settings.prefix, ...busLayouts(settings) })).deadLetters;
}

/** Of this process, for each installation that it has open. */
const inProcess = new WeakMap<Storage['settings'], Leases>();

/** Leases among all processes on the same NATS; without it, within this one. */
export async function openLeases(
  { nats, settings }: Pick<Storage, 'nats' | 'settings'>,
  clock: Clock,
): Promise<Leases> {
  if (nats === null) {
    const leases = inProcess.get(settings) ?? new InProcessLeases(clock);
    inProcess.set(settings, leases);
    return leases;
  }
  return openNatsLeases({ connection: nats, bucket: `${settings.prefix}-leases`, ...layoutOf(settings, 'leases') });
}

/** Opens the bus that the settings choose. Nest is loaded only here, because commands do without it. */
export async function openWorkBus(storage: Storage, { clock, atOnce }: WorkBusOptions): Promise<WorkBus> {
  const { InProcessBus, openNatsBus } = await import('#ports/message-bus');
  const { nats, settings } = storage;
  const leases = await openLeases(storage, clock);
  if (nats !== null) {
    const { bus, strategy } = await openNatsBus({
      ...{ connection: nats, prefix: settings.prefix, atOnce },
      ...busLayouts(settings),
    });
    return { bus, strategy, leases };
  }
  const bus = new InProcessBus();
  return { bus, strategy: bus, leases };
}
