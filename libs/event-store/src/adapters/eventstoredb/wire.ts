import { hash } from 'node:crypto';
import type { JsonObject } from '#kernel';
import type { EventEnvelope, EventFilter, Position, RecordedEvent } from '../../port.ts';
import type { MissingStreamKeyError } from './errors.ts';
import type { RecordedMessage, ServerFilter } from './requests.ts';
import { unseal } from './sealing.ts';

/** Streams that are the adapter's own: snapshots. System streams begin with `$`. */
export const SNAPSHOTS = 'snapshot-';
const BEGINS = `(?!${SNAPSHOTS}|\\$)`;

/** What is no system stream and no snapshot. */
export const EVERY_EVENT: ServerFilter = { on: 'stream', regex: `^${BEGINS}` };
/** The same with the metadata of streams, where erasures are written down. */
export const EVENTS_AND_METADATA: ServerFilter = { on: 'stream', regex: `^(\\$\\$)?${BEGINS}` };

/** As much of a filter as a server can do, and what is left to be looked at here. */
export interface Scan {
  readonly onServer: ServerFilter;
  readonly keeps: ((event: RecordedEvent) => boolean) | null;
}

export function scanOf({ categories, types, organization }: EventFilter): Scan {
  const keeps: ((event: RecordedEvent) => boolean)[] = [];
  if (organization !== undefined) keeps.push(({ envelope }) => envelope.organization === organization);
  if (!types) {
    const onServer = categories
      ? { on: 'stream' as const, regex: `^${BEGINS}(${anyOf(categories)})(-|$)` }
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

/** The event id that the server knows: always the same for one of ours, which have more bits than a UUID holds. */
export function uuidOf(id: string): string {
  return hash('sha256', id, 'hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-8$3-8$4-$5');
}

export function streamOf(message: RecordedMessage): string {
  return Buffer.from(message.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
}

export function placeOf(message: RecordedMessage): number {
  return Number(message.getCommitPosition());
}

export function positionOf(place: number): Position {
  return String(place) as Position;
}

/** Null: not the one way in which this store writes a place. */
export function numberOf(position: string): number | null {
  if (!/^(0|[1-9]\d{0,15})$/.test(position)) return null;
  const number = Number(position);
  return Number.isSafeInteger(number) ? number : null;
}

/** Not what somebody else wrote into this database, e.g. by hand. */
export function isOurs(message: RecordedMessage): boolean {
  const isJson = message.getMetadataMap().get('content-type') === 'application/json';
  return !isJson && message.getCustomMetadata_asU8().length > 0;
}

export function envelopeBytes(envelope: EventEnvelope): Uint8Array {
  return Buffer.from(JSON.stringify(envelope));
}

/** Reads its JSON and opens its payload when it is asked for: many readers look at a fraction of what they are given. */
export class StoredEvent implements RecordedEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly #message: RecordedMessage;
  readonly #secret: Uint8Array | MissingStreamKeyError | null;
  #envelope: EventEnvelope | undefined;
  #payload: JsonObject | null | undefined;

  /** @param secret null: it has no payload, or none that may be read; an error: thrown when the payload is asked for */
  constructor(stream: string, message: RecordedMessage, secret: Uint8Array | MissingStreamKeyError | null) {
    this.stream = stream;
    this.revision = Number(message.getStreamRevision());
    this.position = positionOf(placeOf(message));
    this.#message = message;
    this.#secret = secret;
  }

  get envelope(): EventEnvelope {
    this.#envelope ??= JSON.parse(Buffer.from(this.#message.getCustomMetadata_asU8()).toString()) as EventEnvelope;
    return this.#envelope;
  }

  get payload(): JsonObject | null {
    if (this.#secret instanceof Error) throw this.#secret;
    if (this.#payload === undefined) {
      const id = this.#message.getId()?.getString() as string;
      this.#payload = this.#secret
        ? (JSON.parse(unseal(this.#message.getData_asU8(), this.#secret, this.stream, id)) as JsonObject)
        : null;
    }
    return this.#payload;
  }
}
