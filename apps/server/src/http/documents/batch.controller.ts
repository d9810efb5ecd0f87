import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { EntityContexts } from '#composition/application';
import {
  AddDocumentsInput,
  type Attempt,
  addDocuments,
  type BatchDocument,
  batchItems,
} from '#features/documents/use-cases';
import { InputError } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { CountedAs, Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { CurrentAttempt } from './attempt.ts';
import { BatchResults, batchResults } from './batch.responses.ts';
import { type StatusWords, Words } from './status-words.ts';

@Controller('v3/documents')
@InSection('Documents')
export class BatchController {
  constructor(
    private readonly commands: CommandBus,
    private readonly contexts: EntityContexts,
  ) {}

  @Post('batch')
  @HttpCode(200)
  @CountedAs('add')
  @Requires('write')
  @Documented({
    id: 'addDocuments',
    summary: 'Add many documents',
    description:
      'Up to 600 texts in one request. Each is answered for itself, in the order of the request: one that ' +
      'is refused does not affect the others, so the status is 200 even if all are refused.',
    answer: BatchResults,
    refuses: [409],
  })
  async add(
    @CurrentPrincipal() principal: Principal,
    @Body() body: AddDocumentsInput,
    @CurrentAttempt() attempt: Attempt,
    @Words() words: StatusWords,
  ): Promise<BatchResults> {
    const items = await batchItems(body);
    const valid = items.filter((item): item is BatchDocument => !(item instanceof InputError));
    if (valid.length === 0) return batchResults(items, [], words);
    const documents = valid.map(({ document }) => document);
    const command = addDocuments(principal, documents, attempt);
    const added = valueOrThrow(await this.commands.execute(command));
    await this.contexts.keepEach(
      command,
      valid.flatMap((item, index) => {
        const result = added[index];
        return result?.ok ? [{ ...item, added: result.value }] : [];
      }),
    );
    return batchResults(items, added, words);
  }
}
