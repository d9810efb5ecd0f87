import type { OnModuleDestroy } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { BulkDeletions, type DeletionTotals } from '#features/documents';
import type { Result } from '#platform/kernel';
import { DeleteDocuments } from './delete-documents.command.ts';

@CommandHandler(DeleteDocuments)
export class DeleteDocumentsHandler implements ICommandHandler<DeleteDocuments>, OnModuleDestroy {
  private readonly stopping = new AbortController();

  constructor(private readonly deletions: BulkDeletions) {}

  execute({ scope, actor, selection }: DeleteDocuments): Promise<Result<DeletionTotals, 'forbidden'>> {
    return this.deletions.delete(scope, actor, selection, this.stopping.signal);
  }

  /** Open requests are answered before the server closes, and a deletion may take minutes. */
  onModuleDestroy(): void {
    this.stopping.abort();
  }
}
