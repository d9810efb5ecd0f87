import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ForgetMatchingInput, MatchingMemories } from '#composition/application';
import type { Attempt } from '#features/documents/use-cases';
import {
  ForgetMemoryInput,
  forgetMemory,
  GetMemoryEvents,
  ListMemoriesInput,
  listMemories,
  pageOfMemories,
  RecordMemoriesInput,
  RestoreMemoriesInput,
  ReviseMemoryInput,
  recordMemories,
  restoreMemories,
  reviseMemory,
} from '#features/memories/use-cases';
import type { Principal } from '#platform/kernel';
import { publicEvent } from '#ports/event-feed';
import { CountedAs, Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { CurrentAttempt } from '../documents/attempt.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { DocumentEvents } from '../events/events.responses.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import {
  ForgottenMemories,
  ForgottenMemory,
  forgottenMemories,
  MemoryList,
  memoryList,
  RecordedMemories,
  RestoredMemories,
  RevisedMemory,
  recordedMemories,
  revisedMemory,
} from './memories.responses.ts';

@Controller('v4/memories')
@InSection('Memories')
export class MemoriesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly matching: MatchingMemories,
  ) {}

  @Post()
  @HttpCode(201)
  @CountedAs('add')
  @Requires('write')
  @Documented({
    id: 'recordMemories',
    summary: 'Record memories',
    description:
      'Searches find them when the request is answered. One that equals a memory of the tag in every field is ' +
      'answered with that memory.',
    answer: RecordedMemories,
    status: 201,
    refuses: [409],
  })
  record(
    @CurrentPrincipal() principal: Principal,
    @Body() body: RecordMemoriesInput,
    @CurrentAttempt() { idempotencyKey }: Attempt,
  ) {
    return this.commands
      .execute(recordMemories(principal, body, idempotencyKey))
      .then((recorded) => recordedMemories(valueOrThrow(recorded)));
  }

  @Patch()
  @CountedAs('update')
  @Requires('write')
  @Documented({
    id: 'reviseMemory',
    summary: 'Give a memory another version',
    description: 'The earlier version stays in its history. 404 if there is no such memory, or if it is forgotten.',
    answer: RevisedMemory,
    links: { getMemoryEvents: { id: 'id' } },
    refuses: [404],
  })
  revise(@CurrentPrincipal() principal: Principal, @Body() body: ReviseMemoryInput) {
    return this.commands.execute(reviseMemory(principal, body)).then((revised) => revisedMemory(valueOrThrow(revised)));
  }

  @Delete()
  @HttpCode(200)
  @CountedAs('delete')
  @Requires('write')
  @Documented({
    id: 'forgetMemory',
    summary: 'Forget a memory',
    description:
      'With all its versions. It can be restored. 409 if it is forgotten already. The id or text of a passage that a ' +
      'search has shown forgets all its memories.',
    answer: ForgottenMemory,
    refuses: [404, 409],
  })
  forget(@CurrentPrincipal() principal: Principal, @Body() body: ForgetMemoryInput): Promise<ForgottenMemory> {
    return this.commands
      .execute(forgetMemory(principal, body))
      .then((forgotten) => ({ id: valueOrThrow(forgotten), forgotten: true }));
  }

  @Post('forget-matching')
  @HttpCode(200)
  @CountedAs('delete')
  @Requires('write')
  @Documented({
    id: 'forgetMatchingMemories',
    summary: 'Forget memories that match',
    description:
      'Those that a search in the tag finds, or those with the given ids. With `dryRun`, nothing is changed.',
    answer: ForgottenMemories,
    refuses: [],
  })
  forgetMatching(@CurrentPrincipal() principal: Principal, @Body() body: ForgetMatchingInput) {
    return this.matching.forget(principal, body).then((matched) => forgottenMemories(valueOrThrow(matched)));
  }

  @Post('restore')
  @HttpCode(200)
  @CountedAs('update')
  @Requires('write')
  @Documented({
    id: 'restoreMemories',
    summary: 'Restore memories',
    description: 'Those that were forgotten, and those that have expired: these do not expire again.',
    answer: RestoredMemories,
    refuses: [],
  })
  restore(@CurrentPrincipal() principal: Principal, @Body() body: RestoreMemoriesInput): Promise<RestoredMemories> {
    return this.commands
      .execute(restoreMemories(principal, body))
      .then((restored) => ({ restored: valueOrThrow(restored).map(revisedMemory) }));
  }

  @Post('list')
  @HttpCode(200)
  @Requires('read')
  @Documented({
    id: 'listMemories',
    summary: 'List memories',
    description: 'Recorded directly or formed from documents, each by its latest version.',
    answer: MemoryList,
    refuses: [],
  })
  list(@CurrentPrincipal() principal: Principal, @Body() body: ListMemoriesInput) {
    return this.queries.execute(listMemories(principal, body)).then((found) => memoryList(found, pageOfMemories(body)));
  }

  @Get(':id/events')
  @Requires('read')
  @Documented({
    id: 'getMemoryEvents',
    summary: 'Read the history of a memory',
    description: 'The envelopes of its events, oldest first. After an erasure by the id of its first version.',
    path: { id: { description: 'Id of any version.' } },
    answer: DocumentEvents,
    refuses: [404],
  })
  events(@CurrentPrincipal() principal: Principal, @Param('id') id: string) {
    return this.queries
      .execute(new GetMemoryEvents(principal, id))
      .then((found) => ({ events: valueOrThrow(found).map(publicEvent) }));
  }
}
