import { Command } from '@nestjs/cqrs';
import type { DeletionTotals, Selection } from '#features/documents';
import type { AccessScope, Result } from '#platform/kernel';

/**
 * Erases many documents for good: those that were added before the call, and none that is added later. No read returns them
 * once this resolves. A call that is interrupted is finished in the background; see `BulkDeletions`.
 */
export class DeleteDocuments extends Command<Result<DeletionTotals, 'forbidden'>> {
  readonly scope: AccessScope;
  /** As events name it. */
  readonly actor: string;
  readonly selection: Selection;

  constructor(scope: AccessScope, actor: string, selection: Selection) {
    super();
    this.scope = scope;
    this.actor = actor;
    this.selection = selection;
  }
}
