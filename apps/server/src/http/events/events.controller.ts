import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#kernel';
import { CurrentCaller } from '../access/caller.ts';
import { Requires } from '../access/permission.ts';
import { Documented } from '../openapi/documented.ts';
import { EventStreams } from './event-streams.ts';
import { EventsQuery } from './events.dto.ts';

const STREAM =
  'Each event: `id:` its cursor `<store>:<position>`, `event:` its type, `data:` a DocumentEvent as JSON. ' +
  'A comment every 15 s keeps the connection open.';

@Controller('v3/events')
export class EventsController {
  private readonly streams: EventStreams;

  constructor(streams: EventStreams) {
    this.streams = streams;
  }

  @Get()
  @Requires('read')
  @Documented({
    summary: 'Follow events as server-sent events',
    answer: { mediaType: 'text/event-stream', description: STREAM },
    refuses: [400],
  })
  follow(
    @CurrentCaller() caller: Caller,
    @Query() query: EventsQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    return this.streams.stream(caller, query, request, reply);
  }
}
