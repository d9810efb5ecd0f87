import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { DeleteDocument, GetDocument, GetDocumentEvents, RetryDocument } from '#documents/use-cases';
import { publicEvent } from '#event-feed';
import type { Caller } from '#kernel';
import { From } from '../access/caller.ts';
import { Requires } from '../access/permission.ts';
import { accepted } from '../errors/refusals.ts';

import { Documented, Multipart } from '../openapi/documented.ts';
import { ACCEPTED, DOCUMENT, DOCUMENT_EVENTS, DOCUMENT_LIST, PROCESSING_LIST } from '../openapi/response-schemas.ts';
import { addedDocument, documentList, documentRecord, processingList } from '../responses.ts';
import { AddDocumentBody, addDocument, addFile, UploadBody } from './add-document.dto.ts';
import { IdempotencyKey } from './idempotency-key.ts';
import { ListDocumentsBody, listDocuments, listProcessing, ProcessingQuery, pageOf } from './list-documents.dto.ts';
import { type StatusWords, Words } from './status-words.ts';
import { Uploads } from './uploads.ts';

/** Routes with a name stand before those with an id (contract C7). */
@Controller('v3/documents')
export class DocumentsController {
  private readonly commands: CommandBus;
  private readonly queries: QueryBus;
  private readonly uploads: Uploads;

  constructor(commands: CommandBus, queries: QueryBus, uploads: Uploads) {
    this.commands = commands;
    this.queries = queries;
    this.uploads = uploads;
  }

  @Post()
  @HttpCode(200)
  @Requires('write')
  @Documented({
    summary: 'Add content',
    body: AddDocumentBody,
    idempotent: true,
    answer: ACCEPTED,
    refuses: [400, 409, 413, 503],
  })
  add(
    @From() caller: Caller,
    @Body() body: AddDocumentBody,
    @IdempotencyKey() key: string | null,
    @Words() words: StatusWords,
  ) {
    return this.commands.execute(addDocument(caller, body, key)).then((added) => addedDocument(accepted(added), words));
  }

  @Post('file')
  @HttpCode(200)
  @Requires('write')
  @Multipart()
  @Documented({
    summary: 'Upload a file',
    body: UploadBody,
    idempotent: true,
    answer: ACCEPTED,
    refuses: [400, 409, 413, 503],
  })
  upload(
    @From() caller: Caller,
    @Req() request: FastifyRequest,
    @IdempotencyKey() key: string | null,
    @Words() words: StatusWords,
  ) {
    return this.uploads
      .receive(request, ({ body, file }) => this.commands.execute(addFile(caller, body, file, key)))
      .then((added) => addedDocument(accepted(added), words));
  }

  @Post('list')
  @HttpCode(200)
  @Requires('read')
  @Documented({ summary: 'List documents', body: ListDocumentsBody, answer: DOCUMENT_LIST, refuses: [400] })
  list(@From() caller: Caller, @Body() body: ListDocumentsBody, @Words() words: StatusWords) {
    return this.queries
      .execute(listDocuments(caller, body))
      .then((found) => documentList(found, pageOf(body), body.includeContent, words));
  }

  @Get('processing')
  @Requires('read')
  @Documented({
    summary: 'Documents that are being processed, newest first',
    query: ProcessingQuery,
    answer: PROCESSING_LIST,
    refuses: [400],
  })
  processing(@From() caller: Caller, @Query() query: ProcessingQuery, @Words() words: StatusWords) {
    return this.queries.execute(listProcessing(caller, query)).then((found) => processingList(found, words));
  }

  @Get(':id')
  @Requires('read')
  @Documented({ summary: 'Read a document, by id or customId', answer: DOCUMENT, refuses: [404] })
  get(@From() caller: Caller, @Param('id') id: string, @Words() words: StatusWords) {
    return this.queries.execute(new GetDocument(caller, id)).then((found) => documentRecord(accepted(found), words));
  }

  @Get(':id/events')
  @Requires('read')
  @Documented({
    summary: 'What happened to a document: by id or customId, after its deletion by id only',
    answer: DOCUMENT_EVENTS,
    refuses: [404],
  })
  events(@From() caller: Caller, @Param('id') id: string) {
    return this.queries
      .execute(new GetDocumentEvents(caller, id))
      .then((found) => ({ events: accepted(found).map(publicEvent) }));
  }

  @Post(':id/retry')
  @HttpCode(200)
  @Requires('write')
  @Documented({ summary: 'Process a failed document once more', answer: ACCEPTED, refuses: [404, 409] })
  retry(@From() caller: Caller, @Param('id') id: string, @Words() words: StatusWords) {
    return this.commands
      .execute(new RetryDocument(caller, id))
      .then((restarted) => addedDocument(accepted(restarted), words));
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires('write')
  @Documented({ summary: 'Erase a document for good, by id or customId', answer: null, refuses: [404] })
  remove(@From() caller: Caller, @Param('id') id: string) {
    return this.commands.execute(new DeleteDocument(caller, id)).then((deleted) => void accepted(deleted));
  }
}
