import type { NatsConnection } from '@nats-io/nats-core';
import { isConsumerMissing, isStreamMissing } from '#nats';
import { WorkStreams } from './work-streams.ts';

/** How much of one kind of work stands on the bus. */
export interface WorkOnBus {
  /** Of the pattern `pipeline.<stage>`. */
  readonly stage: string;
  /** Never handed out yet. */
  readonly waiting: number;
  /** Handed out and not acknowledged: being worked on, or held for its next delivery. */
  readonly unacknowledged: number;
  /** Of these, handed out more than once. */
  readonly redelivered: number;
}

export interface InspectedBus {
  /** By the name of the stage; none before the first process has begun. */
  readonly work: readonly WorkOnBus[];
  readonly deadLetters: number;
}

/** @see index.ts */
export async function inspect(connection: NatsConnection, prefix: string): Promise<InspectedBus> {
  const streams = new WorkStreams({ connection, prefix, replicas: 1 });
  const work = await Promise.all((await streams.stages()).map((stage) => workOf(streams, stage)));
  return { work, deadLetters: await countIn(streams, streams.deadLetters) };
}

async function workOf(streams: WorkStreams, stage: string): Promise<WorkOnBus> {
  try {
    const { consumers } = await streams.manager();
    const info = await consumers.info(streams.streamOf(stage), streams.durable);
    const { num_pending: waiting, num_ack_pending: unacknowledged, num_redelivered: redelivered } = info;
    return { stage, waiting, unacknowledged, redelivered };
  } catch (error) {
    if (!isConsumerMissing(error)) throw error;
    // No process has handled this stage yet.
    return { stage, waiting: await countIn(streams, streams.streamOf(stage)), unacknowledged: 0, redelivered: 0 };
  }
}

async function countIn(streams: WorkStreams, stream: string): Promise<number> {
  try {
    return (await (await streams.manager()).streams.info(stream)).state.messages;
  } catch (error) {
    if (isStreamMissing(error)) return 0;
    throw error;
  }
}
