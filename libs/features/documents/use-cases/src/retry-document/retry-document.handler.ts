import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DocumentRepository, decideRestart } from '#features/documents';
import type { AcceptedDocument } from '#features/documents/requests';
import { actorOf, ok, type Result, writeScope } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import { RetryDocument, type RetryRefusal } from './retry-document.command.ts';

@CommandHandler(RetryDocument)
export class RetryDocumentHandler implements ICommandHandler<RetryDocument> {
  constructor(private readonly documents: DocumentRepository) {}

  async execute({ principal, idOrCustomId, picked }: RetryDocument): Promise<Result<AcceptedDocument, RetryRefusal>> {
    const scope = writeScope(principal, picked);
    const found = await this.documents.find(scope, idOrCustomId);
    if (!found.ok) return found;
    const { id } = found.value;
    const cause = requestCause(actorOf(principal));
    const restarted = await this.documents.change(scope, id, cause, decideRestart);
    return restarted.ok ? ok({ id, status: 'queued' }) : restarted;
  }
}
