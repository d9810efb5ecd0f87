import type { NatsConnection } from '@nats-io/nats-core';
import type { CustomTransportStrategy, Server } from '@nestjs/microservices';
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
  /** Stays the caller's: it is neither drained nor closed here. */
  readonly connection: NatsConnection;
  /** First token of every subject and, in capitals, of every stream; `mneme` unless told. */
  readonly prefix?: string;
  /** Copies of each stream in a cluster; 1 unless told. */
  readonly replicas?: number;
  /** Messages of a pattern that are handled at once in this process; 64 unless told. */
  readonly atOnce?: (pattern: string) => number;
  /** Milliseconds without a sign of life of a process after which another gets its messages; 30 s unless told. */
  readonly ackWaitMs?: number;
  /** Milliseconds between two signs that a process handles work, the same in all of them; 2 s unless told. */
  readonly presenceMs?: number;
}

/** Three parts that do without each other: a process may only send, or only handle. */
export interface OpenedNatsBus {
  readonly bus: MessageBus;
  /** For `app.connectMicroservice({ strategy })`; takes nothing before the application listens. */
  readonly strategy: Server & CustomTransportStrategy;
  readonly deadLetters: DeadLetters;
}

/** @see index.ts */
export function openBus(options: NatsBusOptions): OpenedNatsBus {
  const { connection, prefix = 'mneme', replicas = 1, atOnce = () => AT_ONCE, ackWaitMs = ACK_WAIT_MS } = options;
  const presence = new Presence({ connection, prefix, everyMs: options.presenceMs ?? PRESENCE_MS });
  const streams = new WorkStreams({ connection, prefix, replicas });
  const deadLetters = new NatsDeadLetters(streams);
  return {
    bus: new NatsBus(streams, presence),
    strategy: new NatsStrategy({ streams, deadLetters, presence, atOnce, ackWaitMs }),
    deadLetters,
  };
}
