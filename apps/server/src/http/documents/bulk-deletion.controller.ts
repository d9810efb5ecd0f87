import { Body, Controller, Delete } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { DeleteDocumentsInput, deleteDocuments } from '#features/documents/use-cases';
import type { Principal } from '#platform/kernel';
import { CountedAs, Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { BulkDeletion, bulkDeletion } from './bulk-deletion.responses.ts';

@Controller('v3/documents/bulk')
@InSection('Documents')
export class BulkDeletionController {
  constructor(private readonly commands: CommandBus) {}

  @Delete()
  @CountedAs('delete')
  @Requires('write')
  @Documented({
    id: 'deleteDocuments',
    summary: 'Erase many documents',
    description:
      'By ids or customIds, by tags, or by path. Answers when no read and no search returns the documents. ' +
      'Repeating a request that was cut off continues it.',
    answer: BulkDeletion,
    refuses: [],
  })
  async remove(@CurrentPrincipal() principal: Principal, @Body() body: DeleteDocumentsInput): Promise<BulkDeletion> {
    const command = deleteDocuments(principal, body);
    return bulkDeletion(valueOrThrow(await this.commands.execute(command)), command.selection);
  }
}
