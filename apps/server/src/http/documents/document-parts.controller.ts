import { Controller, Get, Inject, Param, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { GetDocumentChunks, GetFileLink } from '#documents/use-cases';
import { type Caller, readScope } from '#kernel';
import { CurrentCaller } from '../access/caller.ts';
import { Requires } from '../access/permission.ts';
import { accepted } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';
import { publicUrl } from '../transport/public-url.ts';
import { ChunkList, chunkList, FileUrl } from './document-parts.responses.ts';

@Controller('v3/documents')
export class DocumentPartsController {
  private readonly queries: QueryBus;
  private readonly options: HttpOptions;

  constructor(queries: QueryBus, @Inject(HTTP_OPTIONS) options: HttpOptions) {
    this.queries = queries;
    this.options = options;
  }

  @Get(':id/chunks')
  @Requires('read')
  @Documented({ summary: 'Read the passages of a document, by id or customId', answer: ChunkList, refuses: [404] })
  chunks(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.queries
      .execute(new GetDocumentChunks(readScope(caller), id))
      .then((found) => chunkList(accepted(found)));
  }

  @Get(':id/file-url')
  @Requires('read')
  @Documented({
    summary: 'Make a link to the file of a document, by id or customId; 404 if it is a text',
    answer: FileUrl,
    refuses: [404],
  })
  fileUrl(@CurrentCaller() caller: Caller, @Param('id') id: string, @Req() request: FastifyRequest) {
    return this.queries
      .execute(new GetFileLink(readScope(caller), id))
      .then((link) => ({ url: `${publicUrl(request, this.options)}/v3/files/${accepted(link).token}` }));
  }
}
