import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { EntityContexts } from '#composition/application';
import {
  AddDocumentInput,
  type Attempt,
  addDocument,
  addFile,
  DeleteDocument,
  GetDocument,
  GetDocumentEvents,
  GetDocumentInput,
  ListDocumentsInput,
  ListProcessingInput,
  listDocuments,
  listProcessing,
  PickedTagInput,
  pageOf,
  pickedTags,
  RetryDocument,
  UploadInput,
} from '#features/documents/use-cases';
import { ForgetMemory } from '#features/memories/use-cases';
import { momentOf } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { publicEvent } from '#ports/event-feed';
import { CountedAs, Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { DocumentEvents } from '../events/events.responses.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { Multipart } from '../transport/multipart.ts';
import { streamedJson } from '../transport/streamed-json.ts';
import { CurrentAttempt } from './attempt.ts';
import { DOCUMENT_ID } from './document-id.ts';
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
import { longListJson, longRecordJson } from './long-documents.ts';
import { isReadLater } from './record-content.ts';
import { type StatusWords, Words } from './status-words.ts';
import { Uploads } from './uploads.ts';

/** Static routes come before those with an id (contract C7). */
@Controller('v3/documents')
@InSection('Documents')
export class DocumentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly uploads: Uploads,
    private readonly contexts: EntityContexts,
  ) {}

  @Post()
  @HttpCode(200)
  @CountedAs('add')
  @Requires('write')
  @Documented({
    id: 'addDocument',
    summary: 'Add content',
    description:
      'The document is stored before the response and processed after it: poll `GET /v3/documents/{id}`, or ' +
      'follow `GET /v3/events`, until its status is `done` or `failed`. A `customId` and the tags ' +
      'name the document to continue: the same content changes nothing, a text that plainly is the whole again ' +
      'replaces the old one, and any other text is appended. With other tags a new document begins.',
    answer: AddedDocument,
    links: { getDocument: { id: 'id' } },
    refuses: [409],
  })
  add(
    @CurrentPrincipal() principal: Principal,
    @Body() body: AddDocumentInput,
    @CurrentAttempt() attempt: Attempt,
    @Words() words: StatusWords,
  ) {
    const command = addDocument(principal, body, attempt);
    return this.contexts
      .keep(this.commands.execute(command).then(valueOrThrow), command, body.entityContext)
      .then((added) => addedDocument(added, words));
  }

  @Post('file')
  @HttpCode(200)
  @CountedAs('add')
  @Requires('write')
  @Multipart(UploadInput)
  @Documented({
    id: 'uploadFile',
    summary: 'Upload a file',
    description:
      'Texts, PDF, office files, tables, e-mails, pages, images, audio and video are read. Other files are accepted ' +
      'and end as `failed`. A file for the `customId` of a file replaces it; for that of a text it is a 409.',
    form: UploadInput,
    answer: AddedDocument,
    links: { getDocument: { id: 'id' } },
    refuses: [409],
  })
  upload(
    @CurrentPrincipal() principal: Principal,
    @Req() request: FastifyRequest,
    @CurrentAttempt() attempt: Attempt,
    @Words() words: StatusWords,
  ) {
    return this.uploads
      .receive(request, ({ body, file }) => {
        const command = addFile(principal, body, file, attempt);
        return this.contexts.keep(this.commands.execute(command).then(valueOrThrow), command, body.entityContext);
      })
      .then((added) => addedDocument(added, words));
  }

  @Post('list')
  @HttpCode(200)
  @Requires('read')
  @Documented({
    id: 'listDocuments',
    summary: 'List documents',
    description: 'Pages of documents, by tags, metadata, path and state. A page past the end is empty.',
    answer: DocumentList,
    refuses: [],
  })
  list(@CurrentPrincipal() principal: Principal, @Body() body: ListDocumentsInput, @Words() words: StatusWords) {
    return this.queries
      .execute(listDocuments(principal, body))
      .then((found) =>
        isReadLater(found.documents)
          ? streamedJson<DocumentList>(longListJson(found, pageOf(body), words))
          : documentList(found, pageOf(body), body.includeContent, words),
      );
  }

  @Get('processing')
  @Requires('read')
  @Documented({
    id: 'listProcessingDocuments',
    summary: 'List the documents in process, newest first',
    description: 'Documents that are neither done nor failed. Without a tag: of all tags of the key.',
    answer: ProcessingList,
    refuses: [],
  })
  processing(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ListProcessingInput,
    @Words() words: StatusWords,
  ) {
    return this.queries.execute(listProcessing(principal, query)).then((found) => processingList(found, words));
  }

  @Get(':id')
  @Requires('read')
  @Documented({
    id: 'getDocument',
    summary: 'Read a document',
    description: 'Readable as soon as the response to its add arrives; the text of a file appears when it is read.',
    path: { id: DOCUMENT_ID },
    answer: DocumentRecord,
    refuses: [404],
  })
  get(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query() query: GetDocumentInput,
    @Words() words: StatusWords,
  ) {
    return this.queries
      .execute(new GetDocument(principal, id, momentOf(query), pickedTags(query)))
      .then(valueOrThrow)
      .then((found) =>
        'pieces' in found ? streamedJson<DocumentRecord>(longRecordJson(found, words)) : documentRecord(found, words),
      );
  }

  @Get(':id/events')
  @Requires('read')
  @Documented({
    id: 'getDocumentEvents',
    summary: 'Read the events of a document',
    description:
      'What happened to the document, when, and who caused it. After the deletion of a document, its id ' +
      'still answers and its `customId` does not.',
    path: { id: DOCUMENT_ID },
    answer: DocumentEvents,
    refuses: [404],
  })
  events(@CurrentPrincipal() principal: Principal, @Param('id') id: string, @Query() query: PickedTagInput) {
    return this.queries
      .execute(new GetDocumentEvents(principal, id, pickedTags(query)))
      .then((found) => ({ events: valueOrThrow(found).map(publicEvent) }));
  }

  @Post(':id/retry')
  @HttpCode(200)
  @CountedAs('update')
  @Requires('write')
  @Documented({
    id: 'retryDocument',
    summary: 'Process a failed document again',
    description: '409 unless its status is `failed`.',
    path: { id: { ...DOCUMENT_ID, example: 'bookmark' } },
    answer: AddedDocument,
    refuses: [404, 409],
  })
  retry(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query() query: PickedTagInput,
    @Words() words: StatusWords,
  ) {
    return this.commands
      .execute(new RetryDocument(principal, id, pickedTags(query)))
      .then((restarted) => addedDocument(valueOrThrow(restarted), words));
  }

  @Delete(':id')
  @HttpCode(204)
  @CountedAs('delete')
  @Requires('write')
  @Documented({
    id: 'deleteDocument',
    summary: 'Erase a document',
    description:
      'Answers when no read and no search returns the document. Its text, file, passages, memories and ' +
      'vectors are erased, and its `customId` is free. With a customId, `containerTag` picks only the document that has ' +
      'this tag alone. An id that names no document, but a memory or a passage as ' +
      'searches show it, is forgotten as `DELETE /v4/memories` does.',
    path: { id: { ...DOCUMENT_ID, example: 'note-1' } },
    answer: null,
    refuses: [404, 409],
  })
  async remove(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query() query: PickedTagInput,
  ): Promise<void> {
    const picked = pickedTags(query);
    const deleted = await this.commands.execute(new DeleteDocument(principal, id, picked));
    if (deleted.ok || deleted.error !== 'not_found') return void valueOrThrow(deleted);
    const forgotten = await this.commands.execute(new ForgetMemory(principal, null, { id }, null, picked));
    valueOrThrow(forgotten.ok || forgotten.error !== 'memory_not_found' ? forgotten : deleted);
  }
}
