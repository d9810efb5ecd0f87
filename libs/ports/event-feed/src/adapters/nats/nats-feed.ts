import { setTimeout as pause } from 'node:timers/promises';
import {
  DiscardPolicy,
  type JetStreamClient,
  jetstream,
  RetentionPolicy,
  StorageType,
  type StoredMsg,
} from '@nats-io/jetstream';
import { headers, type NatsConnection, nanos } from '@nats-io/nats-core';
import type { Clock } from '#platform/kernel';
import { mnemeError } from '#platform/kernel';
import { ensureStream, isWrongSequence, type StreamLayout, subjectToken } from '#platform/nats';
import type { EventStore, Position, RecordedEvent } from '#ports/event-store';
import { positionInLog } from '../../position-in-log.ts';
import { cursorOf, PUBLIC_CATEGORIES, publicEvent } from '../../public-event.ts';

export interface NatsFeedOptions {
  /** Owned by the caller, who closes it. */
  readonly connection: NatsConnection;
  readonly store: Pick<EventStore, 'storeId' | 'subscribe' | 'parsePosition' | 'holds'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly logger: { warn(message: string, cause?: unknown): void };
  /** First token of every subject and, in capitals, of the stream. Default: `mneme`. */
  readonly prefix?: string;
  /** Of the stream. */
  readonly layout?: StreamLayout;
  /** How long events stay on NATS. Milliseconds; 0: without limit. Default: 30 days. */
  readonly retentionMs?: number;
}

const RETENTION_MS = 30 * 24 * 3_600_000;
/** Concurrent publications. */
const BATCH = 256;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
const CURSOR = 'Mneme-Position';

/** Another publisher is active, or the answer to the last publication was lost. */
class OvertakenError extends mnemeError('fenced', 'feed_overtaken') {}

/** The end of the stream. */
interface End {
  readonly sequence: number;
  /** Position of the last event in the stream that the log holds, too. Null: it holds none of them. */
  readonly position: Position | null;
}

/**
 * Publishes each message on condition of the stream's last sequence. So the last message is the checkpoint, and no event is
 * published twice, whatever the length of an outage.
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
        logger.warn(`the event feed retries in ${this.#wait} ms: ${String(error)}`, error);
        await pause(this.#wait, undefined, { signal }).catch(() => undefined);
        this.#wait = Math.min(this.#wait * 2, LONGEST_PAUSE_MS);
      }
    }
  }

  async #follow({ sequence, position }: End): Promise<void> {
    const { store, signal } = this.#options;
    let end = sequence;
    // Events older than the retention are not published to a new stream.
    const oldest = position === null && this.#retentionMs > 0 ? this.#options.clock.now() - this.#retentionMs : 0;
    const from = { after: position, filter: { categories: PUBLIC_CATEGORIES }, batch: BATCH };
    for await (const { events } of store.subscribe({ ...from, envelopesOnly: true, signal })) {
      const recent = events.filter(({ envelope }) => Date.parse(envelope.at) >= oldest);
      await this.#publish(recent, end);
      end += recent.length;
    }
  }

  async #publish(events: readonly RecordedEvent[], end: number): Promise<void> {
    const published = await Promise.allSettled(events.map((event, i) => this.#publishOne(event, end + i)));
    for (const result of published) if (result.status === 'rejected') throw result.reason;
    this.#wait = FIRST_PAUSE_MS;
  }

  /** @throws OvertakenError if the last sequence of the stream is another one */
  async #publishOne(event: RecordedEvent, end: number): Promise<void> {
    const header = headers();
    header.set(CURSOR, cursorOf(this.#options.store.storeId, event.position));
    try {
      const { seq } = await this.#js.publish(this.#subjectOf(event), JSON.stringify(publicEvent(event)), {
        msgID: event.envelope.id,
        headers: header,
        expect: { streamName: this.#stream, lastSequence: end },
      });
      // The answer to a duplicate has the sequence of the first publication.
      if (seq !== end + 1) throw new OvertakenError(`the event ${event.envelope.id} was published already`);
    } catch (error) {
      if (isWrongSequence(error)) throw new OvertakenError('another publisher has written to the stream');
      throw error;
    }
  }

  #subjectOf({ stream, envelope }: RecordedEvent): string {
    const { category = stream.slice(0, stream.indexOf('-')) } = envelope;
    return [this.#prefix, ...[envelope.organization, category, envelope.type].map(subjectToken)].join('.');
  }

  async #findEnd(): Promise<End> {
    const manager = await this.#js.jetstreamManager(false);
    await this.#ensure();
    // In this order, so that an event published in between makes the first publication fail.
    const { state } = await manager.streams.info(this.#stream);
    const last = await manager.streams.getMessage(this.#stream, { last_by_subj: `${this.#prefix}.>` });
    let position = await this.#positionOf(last);
    if (last !== null && position === null) {
      this.#options.logger.warn(`the stream ${this.#stream} ends with events that this log does not hold`);
      for (let seq = last.seq - 1; seq >= state.first_seq && position === null; seq -= 1) {
        this.#options.signal.throwIfAborted();
        position = await this.#positionOf(await manager.streams.getMessage(this.#stream, { seq }));
      }
    }
    return { sequence: state.last_seq, position };
  }

  /** Null: the log does not hold the event. */
  async #positionOf(message: StoredMsg | null): Promise<Position | null> {
    const { store } = this.#options;
    const cursor = message?.header.get(CURSOR) ?? '';
    const ownPrefix = cursorOf(store.storeId, '' as Position);
    return cursor.startsWith(ownPrefix) ? positionInLog(store, cursor.slice(ownPrefix.length)) : null;
  }

  async #ensure(): Promise<void> {
    const config = {
      name: this.#stream,
      subjects: [`${this.#prefix}.>`],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      discard: DiscardPolicy.Old,
      max_age: nanos(this.#retentionMs),
    };
    const { connection, layout = {} } = this.#options;
    await ensureStream(connection, config, { layout });
  }
}
