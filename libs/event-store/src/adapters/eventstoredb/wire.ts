import { hash } from 'node:crypto';
import type { EventEnvelope } from '../../port.ts';
import type { RecordedMessage } from './requests.ts';

/** Prefix of the snapshot streams. System streams begin with `$`. */
export const SNAPSHOTS = 'snapshot-';

/** Returns the event id for the server: a hash of our id, which has more bits than a UUID. */
export function uuidOf(id: string): string {
  return hash('sha256', id, 'hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-8$3-8$4-$5');
}

export function streamOf(message: RecordedMessage): string {
  return Buffer.from(message.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
}

export function eventId(message: RecordedMessage): string {
  return message.getId()?.getString() ?? '';
}

export function commitPosition(message: RecordedMessage): number {
  return Number(message.getCommitPosition());
}

export function envelopeBytes(envelope: EventEnvelope): Uint8Array {
  return Buffer.from(JSON.stringify(envelope));
}
