import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { API_KEYS, type ApiKeys } from '#features/access';
import { SessionAccess } from '#features/sessions';
import { type Principal, readScope } from '#platform/kernel';
import { cursorOf, EVENT_FEED, type EventFeed, type FeedBatch, publicEvent } from '#ports/event-feed';
import type { RecordedEvent } from '#ports/event-store';
import { ApiError } from '../errors/api-error.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';
import { type EventsQuery, eventTypes, resumeAfter } from './events.dto.ts';

/** Below the idle timeout of common proxies. */
const HEARTBEAT_MILLISECONDS = 15_000;
const COMMENT = ':\n\n';
/** A stream whose client reads too slowly is closed; the client resumes after the last event that it has. */
const MAX_UNREAD_BYTES = 1_048_576;
/** How often the keys of open streams are looked at. */
const KEY_CHECK_MS = 500;
/** Retry-After for a key that has too many streams. Seconds. */
const RETRY_SECONDS = 5;

export interface EventsRequest {
  readonly query: EventsQuery;
  readonly lastEventId: string | undefined;
}

/** The open server-sent event streams. */
@Injectable()
export class EventStreams implements OnModuleDestroy {
  private readonly logger = new Logger('Events');
  private readonly feed: EventFeed;
  private readonly maxStreams: number;
  private readonly check: NodeJS.Timeout;
  private readonly open = new Map<AbortController, Principal>();
  private readonly ofKey = new Map<string, number>();
  /** Streams with the same events share their bytes. */
  private readonly bytes = new WeakMap<FeedBatch['events'], Buffer>();

  constructor(
    @Inject(EVENT_FEED) feed: EventFeed,
    @Inject(API_KEYS) private readonly keys: ApiKeys,
    private readonly sessions: SessionAccess,
    @Inject(HTTP_OPTIONS) { maxStreams }: HttpOptions,
  ) {
    this.feed = feed;
    this.maxStreams = maxStreams;
    this.check = setInterval(() => this.endRefused(), KEY_CHECK_MS).unref();
  }

  /** Ends the streams, because the server waits for its connections when it stops. */
  onModuleDestroy(): void {
    clearInterval(this.check);
    for (const controller of this.open.keys()) controller.abort();
  }

  /** Ends the streams of keys and sessions that are not valid any more, or permit something else now. */
  private endRefused(): void {
    for (const [controller, principal] of this.open) {
      const access = principal.session === undefined ? this.keys : this.sessions;
      if (!access.isValid(principal)) controller.abort();
    }
  }

  /**
   * Sends events until the client disconnects.
   * @throws ApiError for an invalid cursor or type, and for too many streams of a key, before anything is sent
   */
  async stream(
    principal: Principal,
    { query, lastEventId }: EventsRequest,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const after = await resumeAfter(this.feed, lastEventId, query.after);
    const types = eventTypes(query.types);
    reply.header('content-type', 'text/event-stream; charset=utf-8');
    reply.header('x-accel-buffering', 'no');
    if (request.method === 'HEAD') {
      void reply.send();
      return;
    }
    const controller = new AbortController();
    const { signal } = controller;
    const leave = this.enter(principal.keyId);
    this.open.set(controller, principal);
    reply.raw.on('close', () => controller.abort());
    reply.hijack();
    reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
    const events = this.feed.follow(readScope(principal), { after, types, tag: query.containerTag ?? null, signal });
    this.send(events, reply.raw, signal)
      .catch((error: unknown) => {
        if (!signal.aborted) this.logger.error(`event stream ${request.id}: ${String(error)}`, error);
      })
      .finally(() => {
        leave();
        this.open.delete(controller);
        reply.raw.end();
      });
  }

  /** Counts a stream of a key, and returns the function that ends it. @throws ApiError 429 */
  private enter(key: string): () => void {
    const count = this.ofKey.get(key) ?? 0;
    if (count >= this.maxStreams) {
      const says = `The key has ${count} open event streams, which is the limit`;
      throw new ApiError('rate_limited', says, null, { 'retry-after': String(RETRY_SECONDS) });
    }
    this.ofKey.set(key, count + 1);
    return () => {
      const left = (this.ofKey.get(key) ?? 1) - 1;
      if (left > 0) this.ofKey.set(key, left);
      else this.ofKey.delete(key);
    };
  }

  private async send(batches: AsyncIterable<FeedBatch>, raw: ServerResponse, signal: AbortSignal): Promise<void> {
    // Also flushes the headers, so that the client sees the stream as open.
    raw.write(COMMENT);
    const heartbeat = setInterval(() => {
      if (!raw.writableNeedDrain) raw.write(COMMENT);
    }, HEARTBEAT_MILLISECONDS).unref();
    try {
      for await (const { events, isPast } of batches) {
        if (signal.aborted) return;
        const isTaken = raw.write(this.frames(events));
        if (isPast && !isTaken) await once(raw, 'drain', { signal });
        else if (raw.writableLength > MAX_UNREAD_BYTES) {
          raw.destroy();
          return;
        }
      }
    } finally {
      clearInterval(heartbeat);
    }
  }

  private frames(events: FeedBatch['events']): Buffer {
    let bytes = this.bytes.get(events);
    if (bytes === undefined) {
      bytes = Buffer.from(events.map((event) => this.frame(event)).join(''));
      this.bytes.set(events, bytes);
    }
    return bytes;
  }

  private frame(event: RecordedEvent): string {
    const data = JSON.stringify(publicEvent(event));
    return `id: ${cursorOf(this.feed.storeId, event.position)}\nevent: ${event.envelope.type}\ndata: ${data}\n\n`;
  }
}
