import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import { CurrentCaller } from '../access/caller.ts';
import { Requires } from '../access/permission.ts';
import { ApiError } from '../errors/api-error.ts';
import { accepted } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { type Attempt, CurrentAttempt } from './attempt.ts';
import { AddDocumentsBody, addDocuments, batchItems } from './batch.dto.ts';
import { BatchResults, batchResults } from './batch.responses.ts';
import { type StatusWords, Words } from './status-words.ts';

@Controller('v3/documents')
@InSection('Documents')
export class BatchController {
  private readonly commands: CommandBus;

  constructor(commands: CommandBus) {
    this.commands = commands;
  }

  @Post('batch')
  @HttpCode(200)
  @Requires('write')
  @Documented({
    id: 'addDocuments',
    summary: 'Add many documents',
    description:
      'Up to 600 texts in one request. Each is answered for itself, in the order of the request: one that ' +
      'is refused does not affect the others, so the status is 200 even if all are refused.',
    answer: BatchResults,
    refuses: [409, 413],
  })
  async add(
    @CurrentCaller() caller: Caller,
    @Body() body: AddDocumentsBody,
    @CurrentAttempt() attempt: Attempt,
    @Words() words: StatusWords,
  ): Promise<BatchResults> {
    const items = batchItems(body);
    const documents = items.flatMap((item) => (item instanceof ApiError ? [] : item));
    const added =
      documents.length === 0 ? [] : accepted(await this.commands.execute(addDocuments(caller, documents, attempt)));
    return batchResults(items, added, words);
  }
}
