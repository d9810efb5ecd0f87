import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { DeleteDocument, GetDocument, GetDocumentEvents, RetryDocument } from '#documents/use-cases';
import { publicEvent } from '#event-feed';
import { actorOf, type Caller, readScope, writeScope } from '#kernel';
import { CurrentCaller } from '../access/caller.ts';
import { Requires } from '../access/permission.ts';
import { EntityContexts } from '../container-tags/entity-contexts.ts';
import { accepted } from '../errors/refusals.ts';
import { DocumentEvents } from '../events/events.responses.ts';
import { Documented } from '../openapi/documented.ts';
import { Multipart } from '../transport/multipart.ts';
import { AddDocumentBody, addDocument, addFile, UploadBody } from './add-document.dto.ts';
import { type Attempt, CurrentAttempt } from './attempt.ts';
import {
  AddedDocument,
  addedDocument,
  DocumentList,
  DocumentRecord,
  documentList,
  documentRecord,
  ProcessingList,
  processingList,
} from './documents.responses.ts';
import { ListDocumentsBody, listDocuments, listProcessing, ProcessingQuery, pageOf } from './list-documents.dto.ts';
import { type StatusWords, Words } from './status-words.ts';
import { Uploads } from './uploads.ts';

/** Static routes come before those with an id (contract C7). */
@Controller('v3/documents')
export class DocumentsController {
  private readonly commands: CommandBus;
  private readonly queries: QueryBus;
  private readonly uploads: Uploads;
  private readonly contexts: EntityContexts;

  constructor(commands: CommandBus, queries: QueryBus, uploads: Uploads, contexts: EntityContexts) {
    this.commands = commands;
    this.queries = queries;
    this.uploads = uploads;
    this.contexts = contexts;
  }

  @Post()
  @HttpCode(200)
  @Requires('write')
  @Documented({
    summary: 'Add content',
    idempotent: true,
    answer: AddedDocument,
    refuses: [400, 409, 413, 503],
  })
  add(
    @CurrentCaller() caller: Caller,
    @Body() body: AddDocumentBody,
    @CurrentAttempt() attempt: Attempt,
    @Words() words: StatusWords,
  ) {
    const command = addDocument(caller, body, attempt);
    return this.contexts
      .keep(this.commands.execute(command).then(accepted), command, body.entityContext)
      .then((added) => addedDocument(added, words));
  }

  @Post('file')
  @HttpCode(200)
  @Requires('write')
  @Multipart()
  @Documented({
    summary: 'Upload a file',
    form: UploadBody,
    idempotent: true,
    answer: AddedDocument,
    refuses: [400, 409, 413, 503],
  })
  upload(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @CurrentAttempt() attempt: Attempt,
    @Words() words: StatusWords,
  ) {
    return this.uploads
      .receive(request, ({ body, file }) => {
        const command = addFile(caller, body, file, attempt);
        return this.contexts.keep(this.commands.execute(command).then(accepted), command, body.entityContext);
      })
      .then((added) => addedDocument(added, words));
  }

  @Post('list')
  @HttpCode(200)
  @Requires('read')
  @Documented({ summary: 'List documents', answer: DocumentList, refuses: [400] })
  list(@CurrentCaller() caller: Caller, @Body() body: ListDocumentsBody, @Words() words: StatusWords) {
    return this.queries
      .execute(listDocuments(caller, body))
      .then((found) => documentList(found, pageOf(body), body.includeContent, words));
  }

  @Get('processing')
  @Requires('read')
  @Documented({
    summary: 'List the documents in process, newest first',
    answer: ProcessingList,
    refuses: [400],
  })
  processing(@CurrentCaller() caller: Caller, @Query() query: ProcessingQuery, @Words() words: StatusWords) {
    return this.queries.execute(listProcessing(caller, query)).then((found) => processingList(found, words));
  }

  @Get(':id')
  @Requires('read')
  @Documented({ summary: 'Read a document, by id or customId', answer: DocumentRecord, refuses: [404] })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string, @Words() words: StatusWords) {
    return this.queries
      .execute(new GetDocument(readScope(caller), id))
      .then((found) => documentRecord(accepted(found), words));
  }

  @Get(':id/events')
  @Requires('read')
  @Documented({
    summary: 'Read the events of a document, by id or customId; after its deletion by id only',
    answer: DocumentEvents,
    refuses: [404],
  })
  events(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.queries
      .execute(new GetDocumentEvents(readScope(caller), id))
      .then((found) => ({ events: accepted(found).map(publicEvent) }));
  }

  @Post(':id/retry')
  @HttpCode(200)
  @Requires('write')
  @Documented({ summary: 'Process a failed document again', answer: AddedDocument, refuses: [404, 409] })
  retry(@CurrentCaller() caller: Caller, @Param('id') id: string, @Words() words: StatusWords) {
    return this.commands
      .execute(new RetryDocument(writeScope(caller), actorOf(caller), id))
      .then((restarted) => addedDocument(accepted(restarted), words));
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires('write')
  @Documented({ summary: 'Erase a document, by id or customId', answer: null, refuses: [404] })
  remove(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.commands
      .execute(new DeleteDocument(writeScope(caller), actorOf(caller), id))
      .then((deleted) => void accepted(deleted));
  }
}
