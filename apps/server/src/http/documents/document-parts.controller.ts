import { Controller, Get, Inject, Param, Query, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { GetDocumentChunks, GetFileLink, PickedTagInput, pickedTags } from '#features/documents/use-cases';
import type { Principal } from '#platform/kernel';
import { Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';
import { publicUrl } from '../transport/public-url.ts';
import { streamedJson } from '../transport/streamed-json.ts';
import { DOCUMENT_ID } from './document-id.ts';
import { ChunkList, chunkList, FileUrl } from './document-parts.responses.ts';
import { longChunksJson } from './long-documents.ts';

@Controller('v3/documents')
@InSection('Documents')
export class DocumentPartsController {
  constructor(
    private readonly queries: QueryBus,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {}

  @Get(':id/chunks')
  @Requires('read')
  @Documented({
    id: 'getDocumentChunks',
    summary: 'Read the passages of a document',
    description: 'The passages that searches find, in the order of the text. Empty until they are formed.',
    path: { id: DOCUMENT_ID },
    answer: ChunkList,
    refuses: [404],
  })
  chunks(@CurrentPrincipal() principal: Principal, @Param('id') id: string, @Query() query: PickedTagInput) {
    return this.queries
      .execute(new GetDocumentChunks(principal, id, pickedTags(query)))
      .then(valueOrThrow)
      .then((found) => ('eachChunk' in found ? streamedJson<ChunkList>(longChunksJson(found)) : chunkList(found)));
  }

  @Get(':id/file-url')
  @Requires('read')
  @Documented({
    id: 'getFileUrl',
    summary: 'Make a link to the file of a document',
    description: 'The link needs no key and is valid for 15 minutes. 404 if the document is a text.',
    path: { id: { ...DOCUMENT_ID, example: 'handbook' } },
    answer: FileUrl,
    refuses: [404],
  })
  fileUrl(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query() query: PickedTagInput,
    @Req() request: FastifyRequest,
  ) {
    return this.queries
      .execute(new GetFileLink(principal, id, pickedTags(query)))
      .then((link) => ({ url: `${publicUrl(request, this.options)}/v3/files/${valueOrThrow(link).token}` }));
  }
}
