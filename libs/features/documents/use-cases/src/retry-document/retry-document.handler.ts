import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DocumentRepository, decideRestart } from '#features/documents';
import { ok, type Result } from '#platform/kernel';
import { requestCause } from '#ports/event-store';
import type { AcceptedDocument } from '../accepted-document.ts';
import { RetryDocument, type RetryRefusal } from './retry-document.command.ts';

@CommandHandler(RetryDocument)
export class RetryDocumentHandler implements ICommandHandler<RetryDocument> {
  constructor(private readonly documents: DocumentRepository) {}

  async execute({ scope, actor, idOrCustomId }: RetryDocument): Promise<Result<AcceptedDocument, RetryRefusal>> {
    const found = await this.documents.find(scope, idOrCustomId);
    if (!found.ok) return found;
    const { id } = found.value;
    const cause = requestCause(actor);
    const restarted = await this.documents.change(scope, id, cause, decideRestart);
    return restarted.ok ? ok({ id, status: 'queued' }) : restarted;
  }
}
