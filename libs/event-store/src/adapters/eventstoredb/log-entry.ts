import type { JsonObject } from '#kernel';
import { LazyEvent } from '../../lazy-event.ts';
import type { EventEnvelope } from '../../port.ts';
import { positionOf } from '../../positions.ts';
import type { MissingStreamKeyError } from './errors.ts';
import { placeOf } from './removed-streams.ts';
import type { RecordedMessage } from './requests.ts';
import { unseal } from './sealing.ts';
import { commitPosition, eventId, SNAPSHOTS, streamOf } from './wire.ts';

/** An event of the whole log as the server sent it. Readers share it, so its envelope is parsed once. */
export class LogEntry {
  readonly message: RecordedMessage;
  /** Of the database. */
  readonly stream: string;
  readonly position: number;
  readonly type: string;
  /** False for events of the server, snapshots, and what another program wrote, e.g. from the server's own console. */
  readonly isOwn: boolean;
  #envelope: EventEnvelope | undefined;

  constructor(message: RecordedMessage) {
    this.message = message;
    this.stream = streamOf(message);
    this.position = commitPosition(message);
    const metadata = message.getMetadataMap();
    this.type = metadata.get('type') ?? '';
    const isInternal = this.stream.startsWith('$') || this.stream.startsWith(SNAPSHOTS);
    const isJson = metadata.get('content-type') === 'application/json';
    this.isOwn = !isInternal && !isJson && message.getCustomMetadata_asU8().length > 0;
  }

  /** Of own events only. */
  get envelope(): EventEnvelope {
    this.#envelope ??= JSON.parse(Buffer.from(this.message.getCustomMetadata_asU8()).toString()) as EventEnvelope;
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
    super(stream, Number(entry.message.getStreamRevision()) + offset, positionOf(entry.position));
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
    const { message, stream } = this.#entry;
    const text = unseal(message.getData_asU8(), this.#secret, stream, eventId(message));
    return JSON.parse(text) as JsonObject;
  }
}
