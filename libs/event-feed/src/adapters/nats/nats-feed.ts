import { setTimeout as pause } from 'node:timers/promises';
import {
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  RetentionPolicy,
  StorageType,
  type StoredMsg,
} from '@nats-io/jetstream';
import { headers, type NatsConnection, nanos } from '@nats-io/nats-core';
import type { EventStore, Position, RecordedEvent } from '#event-store';
import type { Clock } from '#kernel';
import { MnemeError } from '#kernel';
import { ensureStream, isWrongSequence, subjectToken } from '#nats';
import { PUBLIC_CATEGORIES, placeOf, publicEvent } from '../../public-event.ts';

export interface NatsFeedOptions {
  /** Stays the caller's: it is neither drained nor closed here. */
  readonly connection: NatsConnection;
  readonly store: Pick<EventStore, 'storeId' | 'subscribe' | 'parsePosition'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly logger: { warn(message: string): void };
  /** First token of every subject and, in capitals, of the stream; `mneme` unless told. */
  readonly prefix?: string;
  /** Copies of the stream in a cluster; 1 unless told. */
  readonly replicas?: number;
  /** How long an event can be read on NATS, milliseconds; 30 days unless told, 0: for ever. */
  readonly retentionMs?: number;
}

const RETENTION_MS = 30 * 24 * 3_600_000;
/** Events under way to the stream at once. */
const BATCH = 256;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
const PLACE = 'Mneme-Position';

/** Somebody else publishes too, or the last answer got lost. */
class OvertakenError extends MnemeError {
  override readonly name = 'OvertakenError';
  override readonly kind = 'fenced';
  override readonly code = 'feed_overtaken';
}

/** How far the stream got. */
interface End {
  readonly sequence: number;
  /** Null: the stream holds no event of this log. */
  readonly position: Position | null;
}

/**
 * Each message is stored only where the publisher believes the end of the stream to be. So the last message always tells
 * how far the log was published: there is no other checkpoint, and nothing comes twice, however long an outage lasts.
 */
export class NatsFeed {
  readonly #options: NatsFeedOptions;
  readonly #js: JetStreamClient;
  readonly #prefix: string;
  readonly #stream: string;
  readonly #retentionMs: number;
  #wait = FIRST_PAUSE_MS;

  constructor(options: NatsFeedOptions) {
    const { connection, prefix = 'mneme', retentionMs = RETENTION_MS } = options;
    this.#options = options;
    this.#js = jetstream(connection);
    this.#prefix = `${prefix}.events`;
    this.#stream = `${prefix.toUpperCase()}_EVENTS`;
    this.#retentionMs = retentionMs;
  }

  async run(): Promise<void> {
    const { signal, logger } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#follow(await this.#findEnd());
      } catch (error) {
        if (signal.aborted) return;
        logger.warn(`the event feed goes on in ${this.#wait} ms: ${String(error)}`);
        await pause(this.#wait, undefined, { signal }).catch(() => undefined);
        this.#wait = Math.min(this.#wait * 2, LONGEST_PAUSE_MS);
      }
    }
  }

  async #follow({ sequence, position }: End): Promise<void> {
    const { store, signal } = this.#options;
    let end = sequence;
    // What the stream would have dropped by now is not told in a new one.
    const oldest = position === null && this.#retentionMs > 0 ? this.#options.clock.now() - this.#retentionMs : 0;
    const from = { after: position, filter: { categories: PUBLIC_CATEGORIES }, batch: BATCH };
    for await (const { events } of store.subscribe({ ...from, envelopesOnly: true, signal })) {
      const told = events.filter(({ envelope }) => Date.parse(envelope.at) >= oldest);
      await this.#publish(told, end);
      end += told.length;
    }
  }

  async #publish(events: readonly RecordedEvent[], end: number): Promise<void> {
    const published = await Promise.allSettled(events.map((event, i) => this.#publishOne(event, end + i)));
    for (const result of published) if (result.status === 'rejected') throw result.reason;
    this.#wait = FIRST_PAUSE_MS;
  }

  /** @throws OvertakenError when the stream does not end where it is believed to */
  async #publishOne(event: RecordedEvent, end: number): Promise<void> {
    const carried = headers();
    carried.set(PLACE, placeOf(this.#options.store.storeId, event.position));
    try {
      const { seq } = await this.#js.publish(this.#subjectOf(event), JSON.stringify(publicEvent(event)), {
        msgID: event.envelope.id,
        headers: carried,
        expect: { streamName: this.#stream, lastSequence: end },
      });
      // A duplicate is answered with the place of the first.
      if (seq !== end + 1) throw new OvertakenError(`the event ${event.envelope.id} was published already`);
    } catch (error) {
      if (isWrongSequence(error)) throw new OvertakenError('the stream grew by another hand');
      throw error;
    }
  }

  #subjectOf({ stream, envelope }: RecordedEvent): string {
    const category = stream.slice(0, stream.indexOf('-'));
    return [this.#prefix, ...[envelope.organization, category, envelope.type].map(subjectToken)].join('.');
  }

  async #findEnd(): Promise<End> {
    const manager = await this.#js.jetstreamManager(false);
    await this.#ensure(manager);
    // In this order: what is published in between makes the first publish of this process fail.
    const { state } = await manager.streams.info(this.#stream);
    const last = await manager.streams.getMessage(this.#stream, { last_by_subj: `${this.#prefix}.>` });
    return { sequence: state.last_seq, position: this.#positionOf(last) };
  }

  #positionOf(last: StoredMsg | null): Position | null {
    if (last === null) return null;
    const { store, logger } = this.#options;
    const place = last.header.get(PLACE);
    const mine = placeOf(store.storeId, '' as Position);
    const position = place.startsWith(mine) ? store.parsePosition(place.slice(mine.length)) : null;
    if (position === null) logger.warn(`the stream ${this.#stream} ends with an event of another log`);
    return position;
  }

  async #ensure(manager: JetStreamManager): Promise<void> {
    const max_age = nanos(this.#retentionMs);
    await ensureStream(this.#options.connection, {
      name: this.#stream,
      subjects: [`${this.#prefix}.>`],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      discard: DiscardPolicy.Old,
      max_age,
      num_replicas: this.#options.replicas ?? 1,
    });
    const { config } = await manager.streams.info(this.#stream);
    if (config.max_age !== max_age) await manager.streams.update(this.#stream, { max_age });
  }
}
