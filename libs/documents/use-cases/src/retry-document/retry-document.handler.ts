import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DocumentRepository, decideRestart } from '#documents';
import { newId, ok, type Result } from '#kernel';
import type { AcceptedDocument } from '../accepted-document.ts';
import { RetryDocument, type RetryRefusal } from './retry-document.command.ts';

@CommandHandler(RetryDocument)
export class RetryDocumentHandler implements ICommandHandler<RetryDocument> {
  constructor(private readonly documents: DocumentRepository) {}

  async execute({ scope, actor, idOrCustomId }: RetryDocument): Promise<Result<AcceptedDocument, RetryRefusal>> {
    const found = await this.documents.find(scope, idOrCustomId);
    if (!found.ok) return found;
    const { id } = found.value;
    const cause = { actor, correlationId: newId(), causationId: null };
    const restarted = await this.documents.change(scope, id, cause, decideRestart);
    return restarted.ok ? ok({ id, status: 'queued' }) : restarted;
  }
}
