import { missingStreams, type NatsConnection, NatsStreamMissingError } from '#platform/nats';
import { keptStreamsOf } from './storage/kept-streams.ts';
import type { Storage } from './storage/open-storage.ts';

const LOOK_EVERY_MS = 1_000;

/** Notices when a stream that holds data is missing on NATS, so that adds are refused before they need it. */
export class KeptStreamsWatch {
  readonly #connection: NatsConnection;
  readonly #names: readonly string[];
  #missing: readonly string[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Null: no data is on NATS. */
  static of({ nats, settings }: Pick<Storage, 'nats' | 'settings'>): KeptStreamsWatch | null {
    return nats === null ? null : new KeptStreamsWatch(nats, keptStreamsOf(settings));
  }

  constructor(connection: NatsConnection, names: readonly string[]) {
    this.#connection = connection;
    this.#names = names;
  }

  /** As of the last answer of NATS. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  /** @throws NatsStreamMissingError */
  assertNoneMissing(): void {
    const [first] = this.#missing;
    if (first !== undefined) throw new NatsStreamMissingError(first);
  }

  /** @throws NatsUnreachableError */
  async look(): Promise<void> {
    this.#missing = await missingStreams(this.#connection, this.#names);
  }

  /** Looks every second until `close`. */
  start(): void {
    this.#timer = setInterval(() => void this.look().catch(() => undefined), LOOK_EVERY_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
