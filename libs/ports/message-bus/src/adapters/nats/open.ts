import type { NatsConnection } from '@nats-io/nats-core';
import type { CustomTransportStrategy, Server } from '@nestjs/microservices';
import type { StreamLayout } from '#platform/nats';
import type { DeadLetters, MessageBus } from '../../port.ts';
import { NatsBus } from './nats-bus.ts';
import { NatsDeadLetters } from './nats-dead-letters.ts';
import { NatsStrategy } from './nats-strategy.ts';
import { Presence } from './presence.ts';
import { WorkStreams } from './work-streams.ts';

const ACK_WAIT_MS = 30_000;
const AT_ONCE = 64;
const PRESENCE_MS = 2_000;

export interface NatsBusOptions {
  /** Owned by the caller, who closes it. */
  readonly connection: NatsConnection;
  /** First token of every subject and, in capitals, of every stream. Default: `mneme`. */
  readonly prefix?: string;
  /** Of the streams of the stages. */
  readonly layout?: StreamLayout;
  readonly deadLettersLayout?: StreamLayout;
  /** Limit of concurrent handlers of a pattern in this process. Default: 64. */
  readonly atOnce?: (pattern: string) => number;
  /** After this time without a heartbeat of a process another one gets its messages. Milliseconds. Default: 30,000. */
  readonly ackWaitMs?: number;
  /** Between two announcements of a worker; the same in all processes. Milliseconds. Default: 2000. */
  readonly presenceMs?: number;
}

/** Independent parts: a process may only send, or only handle. */
export interface OpenedNatsBus {
  readonly bus: MessageBus;
  /** For `app.connectMicroservice({ strategy })`. Receives nothing before the application listens. */
  readonly strategy: Server & CustomTransportStrategy;
  readonly deadLetters: DeadLetters;
}

/** @see openNatsBus */
export function openBus(options: NatsBusOptions): OpenedNatsBus {
  const { connection, prefix = 'mneme', atOnce = () => AT_ONCE, ackWaitMs = ACK_WAIT_MS } = options;
  const { layout = {}, deadLettersLayout = {} } = options;
  const presence = new Presence({ connection, prefix, everyMs: options.presenceMs ?? PRESENCE_MS });
  const streams = new WorkStreams({ connection, prefix, layout, deadLettersLayout });
  const deadLetters = new NatsDeadLetters(streams);
  return {
    bus: new NatsBus(streams, presence),
    strategy: new NatsStrategy({ streams, deadLetters, presence, atOnce, ackWaitMs }),
    deadLetters,
  };
}
