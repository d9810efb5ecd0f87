import pRetry from 'p-retry';
import type { NatsConnection } from '#platform/nats';
import { askJetStream } from './jetstream-api.ts';

/** What `nats stream backup` writes. */
export interface StreamBackup {
  readonly name: string;
  readonly config: object;
  readonly state: object;
  readonly chunks: readonly Uint8Array[];
}

interface StreamAnswer {
  readonly config?: object;
  readonly state?: object;
  readonly deliver_subject?: string;
}

const TIMEOUT_MS = 60_000;

/** Copies a stream in use, as `nats stream backup` does. */
export async function backUpStream(connection: NatsConnection, name: string): Promise<StreamBackup> {
  const inbox = `_BACKUP.${name}`;
  const sent = connection.subscribe(inbox);
  const request = { deliver_subject: inbox, no_consumers: true };
  const { config = {}, state = {} } = await askJetStream<StreamAnswer>(
    connection,
    `$JS.API.STREAM.SNAPSHOT.${name}`,
    request,
  );
  const chunks: Uint8Array[] = [];
  for await (const message of sent) {
    if (message.data.length === 0) break;
    chunks.push(message.data);
    message.respond();
  }
  return { name, config, state, chunks };
}

/** Creates a stream from its copy, as `nats stream restore` does. */
export async function restoreStream(
  connection: NatsConnection,
  { name, config, state, chunks }: StreamBackup,
): Promise<void> {
  const begun = await askJetStream<StreamAnswer>(connection, `$JS.API.STREAM.RESTORE.${name}`, { config, state });
  const subject = begun.deliver_subject as string;
  for (const chunk of chunks) await deliver(connection, subject, chunk);
  await askJetStream(connection, subject);
}

/** The server that restores may not be known yet to the one of the connection: then nobody has received the chunk. */
async function deliver(connection: NatsConnection, subject: string, chunk: Uint8Array): Promise<void> {
  const send = () => connection.request(subject, chunk, { timeout: TIMEOUT_MS });
  await pRetry(send, {
    ...{ retries: 50, minTimeout: 20, factor: 1 },
    shouldRetry: ({ error }) => /no responders/.test(error.message),
  });
}
