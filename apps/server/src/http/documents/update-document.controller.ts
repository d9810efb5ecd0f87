import { Body, Controller, Param, Patch, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { PickedTagInput, pickedTags, UpdateDocumentInput, updateDocument } from '#features/documents/use-cases';
import type { Principal } from '#platform/kernel';
import { CountedAs, Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { DOCUMENT_ID } from './document-id.ts';
import { AddedDocument, addedDocument } from './documents.responses.ts';
import { type StatusWords, Words } from './status-words.ts';

@Controller('v3/documents')
@InSection('Documents')
export class UpdateDocumentController {
  constructor(private readonly commands: CommandBus) {}

  @Patch(':id')
  @CountedAs('update')
  @Requires('write')
  @Documented({
    id: 'updateDocument',
    summary: 'Change a document',
    description:
      'Fields that are absent or null stay. New `content` is always processed; other changes need no ' + 'processing.',
    path: { id: DOCUMENT_ID },
    answer: AddedDocument,
    refuses: [404, 409],
  })
  update(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query() query: PickedTagInput,
    @Body() body: UpdateDocumentInput,
    @Words() words: StatusWords,
  ) {
    return this.commands
      .execute(updateDocument(principal, id, body, pickedTags(query)))
      .then((updated) => addedDocument(valueOrThrow(updated), words));
  }
}
