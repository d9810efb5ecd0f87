import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DocumentRepository } from '#documents';
import { decideRetry } from '#domain';
import { actorOf, err, newId, ok, type Result } from '#kernel';
import type { Accepted } from './add-document.ts';
import { RetryDocument, type RetryRefusal } from './retry-document.ts';

@CommandHandler(RetryDocument)
export class RetryDocumentHandler implements ICommandHandler<RetryDocument> {
  constructor(private readonly documents: DocumentRepository) {}

  async execute({ caller, idOrCustomId }: RetryDocument): Promise<Result<Accepted, RetryRefusal>> {
    const { organization } = caller;
    const document = await this.documents.find(organization, idOrCustomId);
    if (document === null) return err('not_found');
    const cause = { organization, actor: actorOf(caller), correlationId: newId(), causationId: null };
    const restarted = await this.documents.change(document.id, cause, decideRetry);
    return restarted.ok ? ok({ id: document.id, status: 'queued' }) : restarted;
  }
}
