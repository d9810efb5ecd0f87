import type { JsonObject } from '#platform/kernel';
import { LazyEvent } from '../../lazy-event.ts';
import type { EventEnvelope } from '../../port.ts';
import { positionOf } from '../../positions.ts';
import type { MissingStreamKeyError } from './errors.ts';
import { placeOf } from './removed-streams.ts';
import type { RecordedMessage } from './requests.ts';
import { erasesItsStream, KEY_ID_WITHIN, keyIdOf, unseal } from './sealing.ts';
import { commitPosition, eventId, SNAPSHOTS, streamOf } from './wire.ts';

/** The parts of an entry, which cross threads. `data` and `metadata` have a character for each byte. */
export interface EntryParts {
  /** Of the database. */
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  /** As the server knows it. */
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: string;
  readonly metadata: string;
}

/**
 * An event of the whole log as the server sent it. Readers share it, so its envelope is parsed once. Thousands are kept for
 * readers, as strings: a message of the driver is about forty objects, which the garbage collector would copy and follow.
 */
export class LogEntry implements EntryParts {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: string;
  readonly metadata: string;
  #envelope: EventEnvelope | undefined;

  static of(message: RecordedMessage): LogEntry {
    const metadata = message.getMetadataMap();
    return new LogEntry({
      stream: streamOf(message),
      revision: Number(message.getStreamRevision()),
      position: commitPosition(message),
      id: eventId(message),
      type: metadata.get('type') ?? '',
      isJson: metadata.get('content-type') === 'application/json',
      data: bytesAsText(message.getData_asU8()),
      metadata: bytesAsText(message.getCustomMetadata_asU8()),
    });
  }

  constructor({ stream, revision, position, id, type, isJson, data, metadata }: EntryParts) {
    this.stream = stream;
    this.revision = revision;
    this.position = position;
    this.id = id;
    this.type = type;
    this.isJson = isJson;
    this.data = data;
    this.metadata = metadata;
  }

  /** False for events of the server, snapshots, and what another program wrote, e.g. from the server's own console. */
  get isOwn(): boolean {
    const isInternal = this.stream.startsWith('$') || this.stream.startsWith(SNAPSHOTS);
    return !isInternal && !this.isJson && this.metadata !== '';
  }

  /** Whether this is the event that erased its stream. */
  get erases(): boolean {
    return this.data.length < 2 && erasesItsStream(this.bytes);
  }

  /** Null: it has no sealed payload. */
  get keyId(): string | null {
    return keyIdOf(Buffer.from(this.data.slice(0, KEY_ID_WITHIN), 'latin1'));
  }

  get bytes(): Uint8Array {
    return Buffer.from(this.data, 'latin1');
  }

  /** Of own events only. */
  get envelope(): EventEnvelope {
    this.#envelope ??= JSON.parse(Buffer.from(this.metadata, 'latin1').toString()) as EventEnvelope;
    return this.#envelope;
  }

  /** The name before the first `-` of the stream. */
  get category(): string {
    return this.stream.split('-', 1)[0] as string;
  }
}

/** An event whose payload is unsealed when it is read. */
export class SealedEvent extends LazyEvent {
  readonly #entry: LogEntry;
  readonly #secret: Uint8Array | MissingStreamKeyError | null;

  /** @param secret null: there is no payload, or its stream is erased; an error: reading the payload throws it */
  constructor(entry: LogEntry, secret: Uint8Array | MissingStreamKeyError | null) {
    const { stream, offset } = placeOf(entry.stream);
    super(stream, entry.revision + offset, positionOf(entry));
    this.#entry = entry;
    this.#secret = secret;
  }

  protected override parseEnvelope(): EventEnvelope {
    return this.#entry.envelope;
  }

  /** @throws MissingStreamKeyError */
  protected override parsePayload(): JsonObject | null {
    if (this.#secret instanceof Error) throw this.#secret;
    if (this.#secret === null) return null;
    const { bytes, stream, id } = this.#entry;
    return JSON.parse(unseal(bytes, this.#secret, stream, id)) as JsonObject;
  }
}

/** Returns a text with a character for each byte. */
export function bytesAsText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
