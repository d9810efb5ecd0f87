import type { JsonObject } from '#platform/kernel';
import type { EventEnvelope, Position, RecordedEvent } from './port.ts';

/** Parses envelope and payload when they are first read: many readers use a fraction of the events that they get. */
export abstract class LazyEvent implements RecordedEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  #envelope: EventEnvelope | undefined;
  #payload: JsonObject | null | undefined;

  constructor(stream: string, revision: number, position: Position) {
    this.stream = stream;
    this.revision = revision;
    this.position = position;
  }

  get envelope(): EventEnvelope {
    this.#envelope ??= this.parseEnvelope();
    return this.#envelope;
  }

  get payload(): JsonObject | null {
    if (this.#payload === undefined) this.#payload = this.parsePayload();
    return this.#payload;
  }

  protected abstract parseEnvelope(): EventEnvelope;
  protected abstract parsePayload(): JsonObject | null;
}
