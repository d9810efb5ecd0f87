import { Command } from '@nestjs/cqrs';
import type { DeletionTotals, Selection } from '#features/documents';
import type { Principal, Result } from '#platform/kernel';

/**
 * Erases many documents for good: those that were added before the call, and none that is added later. No read returns them
 * once this resolves. A call that is interrupted is finished in the background; see `BulkDeletions`.
 */
export class DeleteDocuments extends Command<Result<DeletionTotals, 'forbidden'>> {
  constructor(
    readonly principal: Principal,
    readonly selection: Selection,
  ) {
    super();
  }
}
