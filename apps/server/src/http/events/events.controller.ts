import { Controller, Get, Headers, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '#platform/kernel';
import { CountedAs, Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { EventStreams } from './event-streams.ts';
import { EventsQuery } from './events.dto.ts';

const STREAM =
  'Each event: `id:` its cursor `<store>:<position>`, `event:` its type, `data:` a DocumentEvent as JSON. ' +
  'A comment every 15 s keeps the connection open.';

@Controller('v3/events')
@InSection('Events')
export class EventsController {
  constructor(private readonly streams: EventStreams) {}

  @Get()
  // It lasts as long as its client listens.
  @CountedAs(null)
  @Requires('read')
  @Documented({
    id: 'followEvents',
    summary: 'Follow events as server-sent events',
    description:
      'The envelopes of document events as they happen, starting with the next one or after a cursor. The ' +
      'stream does not end, so use a client for server-sent events, or `curl -N`.',
    answer: {
      mediaType: 'text/event-stream',
      description: STREAM,
      headers: { 'x-accel-buffering': '`no`: proxies must pass the events on at once.' },
    },
    refuses: [],
  })
  follow(
    @CurrentPrincipal() principal: Principal,
    @Query() query: EventsQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    return this.streams.stream(principal, { query, lastEventId }, request, reply);
  }
}
