import type { OnModuleDestroy } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { BulkDeletions, type DeletionTotals } from '#features/documents';
import { actorOf, type Result, writeScope } from '#platform/kernel';
import { DeleteDocuments } from './delete-documents.command.ts';

@CommandHandler(DeleteDocuments)
export class DeleteDocumentsHandler implements ICommandHandler<DeleteDocuments>, OnModuleDestroy {
  private readonly stopping = new AbortController();

  constructor(private readonly deletions: BulkDeletions) {}

  execute({ principal, selection }: DeleteDocuments): Promise<Result<DeletionTotals, 'forbidden'>> {
    const scope = writeScope(principal);
    return this.deletions.delete(scope, actorOf(principal), selection, this.stopping.signal);
  }

  /** Open requests are answered before the server closes, and a deletion may take minutes. */
  onModuleDestroy(): void {
    this.stopping.abort();
  }
}
