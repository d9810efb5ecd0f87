import { hash } from 'node:crypto';
import type { EventEnvelope } from '../../port.ts';
import type { RecordedMessage } from './requests.ts';

/** Prefix of the snapshot streams. System streams begin with `$`. */
export const SNAPSHOTS = 'snapshot-';

/** Returns the event id for the server: a hash of our id, which has more bits than a UUID. */
export function uuidOf(id: string): string {
  const digits = hash('sha256', id, 'hex');
  const [low, middle, high] = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(13, 16)];
  return `${low}-${middle}-8${high}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
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
