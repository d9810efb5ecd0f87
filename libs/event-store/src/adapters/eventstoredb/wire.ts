import { hash } from 'node:crypto';
import type { JsonObject } from '#kernel';
import { LazyEvent } from '../../lazy-event.ts';
import type { EventEnvelope, EventFilter, RecordedEvent } from '../../port.ts';
import { positionOf } from '../../positions.ts';
import type { MissingStreamKeyError } from './errors.ts';
import { placeOf } from './removed-streams.ts';
import type { RecordedMessage, ServerFilter } from './requests.ts';
import { unseal } from './sealing.ts';

/** Prefix of the snapshot streams. System streams begin with `$`. */
export const SNAPSHOTS = 'snapshot-';
const NOT_INTERNAL = `(?!${SNAPSHOTS}|\\$)`;

/** Neither system streams nor snapshots. */
export const EVERY_EVENT: ServerFilter = { on: 'stream', regex: `^${NOT_INTERNAL}` };
/** Also the metadata of streams, which marks erasures. */
export const EVENTS_AND_METADATA: ServerFilter = { on: 'stream', regex: `^(\\$\\$)?${NOT_INTERNAL}` };

/** The part of a filter that the server applies, and the part that remains for this side. */
export interface Scan {
  readonly onServer: ServerFilter;
  readonly keeps: ((event: RecordedEvent) => boolean) | null;
}

export function scanOf({ categories, types, organization }: EventFilter): Scan {
  const keeps: ((event: RecordedEvent) => boolean)[] = [];
  if (organization !== undefined) keeps.push(({ envelope }) => envelope.organization === organization);
  if (!types) {
    const onServer = categories
      ? { on: 'stream' as const, regex: `^${NOT_INTERNAL}(${anyOf(categories)})(-|$)` }
      : EVERY_EVENT;
    return { onServer, keeps: every(keeps) };
  }
  if (categories) keeps.push(({ stream }) => categories.includes(stream.split('-', 1)[0] as string));
  keeps.push(({ stream }) => !stream.startsWith(SNAPSHOTS) && !stream.startsWith('$'));
  return { onServer: { on: 'type', regex: `^(${anyOf(types)})$` }, keeps: every(keeps) };
}

function every(checks: readonly ((event: RecordedEvent) => boolean)[]): Scan['keeps'] {
  return checks.length === 0 ? null : (event) => checks.every((check) => check(event));
}

function anyOf(words: readonly string[]): string {
  return words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
}

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

/** Returns false for an event that another program wrote into this database, e.g. from the server's own console. */
export function isOwnEvent(message: RecordedMessage): boolean {
  const isJson = message.getMetadataMap().get('content-type') === 'application/json';
  return !isJson && message.getCustomMetadata_asU8().length > 0;
}

export function envelopeBytes(envelope: EventEnvelope): Uint8Array {
  return Buffer.from(JSON.stringify(envelope));
}

/** An event as the server holds it, whose payload is unsealed when it is read. */
export class SealedEvent extends LazyEvent {
  /** Name of the stream in the database. */
  readonly #sealedIn: string;
  readonly #message: RecordedMessage;
  readonly #secret: Uint8Array | MissingStreamKeyError | null;

  /** @param secret null: there is no payload, or its stream is erased; an error: reading the payload throws it */
  constructor(stream: string, message: RecordedMessage, secret: Uint8Array | MissingStreamKeyError | null) {
    const { stream: name, offset } = placeOf(stream);
    super(name, Number(message.getStreamRevision()) + offset, positionOf(commitPosition(message)));
    this.#sealedIn = stream;
    this.#message = message;
    this.#secret = secret;
  }

  protected override parseEnvelope(): EventEnvelope {
    return JSON.parse(Buffer.from(this.#message.getCustomMetadata_asU8()).toString()) as EventEnvelope;
  }

  /** @throws MissingStreamKeyError */
  protected override parsePayload(): JsonObject | null {
    if (this.#secret instanceof Error) throw this.#secret;
    if (this.#secret === null) return null;
    const text = unseal(this.#message.getData_asU8(), this.#secret, this.#sealedIn, eventId(this.#message));
    return JSON.parse(text) as JsonObject;
  }
}
