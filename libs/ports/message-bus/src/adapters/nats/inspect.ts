import type { NatsConnection } from '@nats-io/nats-core';
import { isConsumerMissing, isStreamMissing } from '#platform/nats';
import { WorkStreams } from './work-streams.ts';

/** Messages of one stage on the bus. */
export interface StageWork {
  /** Of the pattern `pipeline.<stage>`. */
  readonly stage: string;
  /** Not delivered yet. */
  readonly waiting: number;
  /** Delivered and not acknowledged: being handled, or waiting for the next delivery. */
  readonly unacknowledged: number;
  /** The part of `unacknowledged` that was delivered more than once. */
  readonly redelivered: number;
}

export interface InspectedBus {
  /** Sorted by stage. Empty before a process has handled work. */
  readonly work: readonly StageWork[];
  readonly deadLetters: number;
}

/** @see inspectNatsBus */
export async function inspect(connection: NatsConnection, prefix: string): Promise<InspectedBus> {
  const streams = new WorkStreams({ connection, prefix });
  const work = await Promise.all((await streams.stages()).map((stage) => workOf(streams, stage)));
  return { work, deadLetters: await countIn(streams, streams.deadLetters) };
}

async function workOf(streams: WorkStreams, stage: string): Promise<StageWork> {
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
