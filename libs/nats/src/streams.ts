import { jetstreamManager, type StreamConfig } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { isNameInUse, isStreamMissing } from './failures.ts';

export type NamedStream = Partial<StreamConfig> & { readonly name: string };

/** @see ensureStream */
export async function ensure(connection: NatsConnection, config: NamedStream): Promise<void> {
  const { streams } = await jetstreamManager(connection, { checkAPI: false });
  try {
    await streams.info(config.name);
  } catch (error) {
    if (!isStreamMissing(error)) throw error;
    await streams.add(config).catch((fault) => {
      // Another process was faster.
      if (!isNameInUse(fault)) throw fault;
    });
  }
}
