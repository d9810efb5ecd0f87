import { randomUUID } from 'node:crypto';
import type { Connection } from './connection.ts';
import { SoftDeletedError } from './removed-streams.ts';
import { type EventProposal, lastOfStreamRequest } from './requests.ts';
import { NO_PAYLOAD } from './sealing.ts';

type Metadata = Record<string, unknown>;

/** Whether the metadata hides all events of its stream, also those to come until an append brings it back. */
export function isSoftDeleted({ $tb }: Metadata): boolean {
  return typeof $tb === 'number' && $tb > Number.MAX_SAFE_INTEGER;
}

/** Reads the metadata of a stream, and the event that holds it if there is one. */
export async function readMetadata(connection: Connection, stream: string) {
  const event = (await connection.read(lastOfStreamRequest(`$$${stream}`)))?.[0];
  return { value: event ? metadataIn(event.getData_asU8()) : {}, event };
}

/**
 * Adds fields to the metadata of a stream, unless it has the field `unless` already.
 * @throws SoftDeletedError, because a number of 64 bits in the metadata cannot be written back
 */
export async function changeMetadata(
  connection: Connection,
  stream: string,
  change: Metadata,
  unless: string,
): Promise<void> {
  for (let stored = false; !stored; ) {
    const { value, event } = await connection.retry(() => readMetadata(connection, stream));
    if (isSoftDeleted(value)) throw new SoftDeletedError(stream);
    if (value[unless] !== undefined) return;
    const metadata: EventProposal = {
      id: randomUUID(),
      type: '$metadata',
      data: Buffer.from(JSON.stringify({ ...value, ...change })),
      metadata: NO_PAYLOAD,
      json: true,
    };
    const at = event ? Number(event.getStreamRevision()) : 'no-stream';
    stored = (await connection.retry(() => connection.append(`$$${stream}`, [metadata], at))).ok;
  }
}

/** @param data of an event of the stream that holds the metadata of another */
export function metadataIn(data: Uint8Array): Metadata {
  try {
    return JSON.parse(Buffer.from(data).toString()) as Metadata;
  } catch {
    return {};
  }
}
