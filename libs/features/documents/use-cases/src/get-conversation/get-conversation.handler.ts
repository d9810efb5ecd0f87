import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { DocumentTexts } from '#features/documents';
import { actorOf, newId, permits, readScope } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { DraftedAdds } from '../add-document/drafted-adds.ts';
import { GetConversation, type StoredConversation } from './get-conversation.query.ts';

@QueryHandler(GetConversation)
export class GetConversationHandler implements IQueryHandler<GetConversation> {
  constructor(
    private readonly drafts: DraftedAdds,
    private readonly texts: DocumentTexts,
  ) {}

  async execute({ principal, conversationId: customId, tag }: GetConversation): Promise<StoredConversation | null> {
    const scope = readScope(principal);
    if (!permits(scope, [tag])) return null;
    // As a write finds it: the views may not know a name yet that several documents have.
    const cause = requestCause(actorOf(principal));
    const opened = await this.drafts.open({ scope, cause }, { customId, tags: [tag] }, newId());
    if (!opened.ok || opened.value.state.status !== 'live') return null;
    const { state } = opened.value;
    return { id: state.id, messages: await this.texts.messages(state) };
  }
}
