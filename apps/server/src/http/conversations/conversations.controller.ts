import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { EntityContexts } from '#composition/application';
import { type Attempt, SaveConversationInput, saveConversation } from '#features/documents/use-cases';
import type { Principal } from '#platform/kernel';
import { CountedAs, Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { CurrentAttempt } from '../documents/attempt.ts';
import { type StatusWords, statusOf, Words } from '../documents/status-words.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { SavedConversation } from './conversations.responses.ts';

@Controller('v4/conversations')
@InSection('Conversations')
export class ConversationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly contexts: EntityContexts,
  ) {}

  @Post()
  @HttpCode(200)
  @CountedAs('chat')
  @Requires('write')
  @Documented({
    id: 'saveConversation',
    summary: 'Save the messages of a conversation',
    description:
      'Send all messages or only the new ones: the server compares them with those of earlier calls. The ' +
      'document with the `customId` of the conversation holds its transcript.',
    answer: SavedConversation,
    links: { getDocument: { id: 'id' } },
    refuses: [409],
  })
  async save(
    @CurrentPrincipal() principal: Principal,
    @Body() body: SaveConversationInput,
    @CurrentAttempt() attempt: Attempt,
    @Words() words: StatusWords,
  ): Promise<SavedConversation> {
    const command = await saveConversation(principal, body, attempt);
    const saved = await this.contexts.keep(
      this.commands.execute(command).then(valueOrThrow),
      { ...command, document: command.conversation },
      body.entityContext,
    );
    return { id: saved.id, conversationId: body.conversationId, status: statusOf(saved.status, words) };
  }
}
