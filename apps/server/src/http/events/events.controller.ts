import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#kernel';
import { From } from '../access/caller.ts';
import { Requires } from '../access/permission.ts';
import { Documented } from '../openapi/documented.ts';
import { EVENTS } from '../openapi/response-schemas.ts';
import { EventStreams } from './event-streams.ts';
import { EventsQuery } from './events.dto.ts';

@Controller('v3/events')
export class EventsController {
  private readonly streams: EventStreams;

  constructor(streams: EventStreams) {
    this.streams = streams;
  }

  @Get()
  @Requires('read')
  @Documented({
    summary: 'Follow what happens, as server-sent events',
    query: EventsQuery,
    answer: EVENTS,
    refuses: [400],
  })
  follow(
    @From() caller: Caller,
    @Query() query: EventsQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    this.streams.stream(caller, query, request, reply);
  }
}
