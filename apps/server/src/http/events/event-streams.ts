import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cursorOf, EVENT_FEED, type EventFeed, publicEvent } from '#event-feed';
import type { RecordedEvent } from '#event-store';
import { type Caller, readScope } from '#kernel';
import { type EventsQuery, eventTypes, resumeAfter } from './events.dto.ts';

/** Below the idle timeout of common proxies. */
const HEARTBEAT_MILLISECONDS = 15_000;
const COMMENT = ':\n\n';

export interface EventsRequest {
  readonly query: EventsQuery;
  readonly lastEventId: string | undefined;
}

/** The open server-sent event streams. */
@Injectable()
export class EventStreams implements OnModuleDestroy {
  private readonly logger = new Logger('Events');
  private readonly feed: EventFeed;
  private readonly open = new Set<AbortController>();

  constructor(@Inject(EVENT_FEED) feed: EventFeed) {
    this.feed = feed;
  }

  /** Ends the streams, because the server waits for its connections when it stops. */
  onModuleDestroy(): void {
    for (const controller of this.open) controller.abort();
  }

  /**
   * Sends events until the client disconnects.
   * @throws ApiError for an invalid cursor or type, before anything is sent
   */
  async stream(
    caller: Caller,
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
    this.open.add(controller);
    reply.raw.on('close', () => controller.abort());
    reply.hijack();
    reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
    const events = this.feed.follow(readScope(caller), { after, types, tag: query.containerTag ?? null, signal });
    this.send(events, reply.raw, signal)
      .catch((error: unknown) => {
        if (!signal.aborted) this.logger.error(`event stream ${request.id}: ${String(error)}`);
      })
      .finally(() => {
        this.open.delete(controller);
        reply.raw.end();
      });
  }

  private async send(events: AsyncIterable<RecordedEvent>, raw: ServerResponse, signal: AbortSignal): Promise<void> {
    // Also flushes the headers, so that the client sees the stream as open.
    raw.write(COMMENT);
    const heartbeat = setInterval(() => {
      if (!raw.writableNeedDrain) raw.write(COMMENT);
    }, HEARTBEAT_MILLISECONDS).unref();
    try {
      for await (const event of events) {
        if (signal.aborted) return;
        if (!raw.write(this.frame(event))) await once(raw, 'drain', { signal });
      }
    } finally {
      clearInterval(heartbeat);
    }
  }

  private frame(event: RecordedEvent): string {
    const data = JSON.stringify(publicEvent(event));
    return `id: ${cursorOf(this.feed.storeId, event.position)}\nevent: ${event.envelope.type}\ndata: ${data}\n\n`;
  }
}
