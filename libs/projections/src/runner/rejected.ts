import { type DocumentRepository, decideFailure } from '#documents';
import { systemCause } from '#event-store';
import { hasCode, systemScope } from '#kernel';
import type { DocumentRow, RejectedRow, RowRejectedError, ViewsChange } from '#views';
import type { ProjectionOptions } from './options.ts';

/**
 * Takes out of a batch the documents that the views reject, so that they block no others. They end as failed before the
 * views get any further: none of them becomes done. A deletion is never left out.
 * @returns null when the whole batch has to be tried again
 */
export async function withoutRejected(
  { documents, onFault }: ProjectionOptions,
  changes: readonly ViewsChange[],
  error: unknown,
): Promise<readonly ViewsChange[] | null> {
  if (!hasCode(error, 'rows_rejected')) return null;
  const rejected = new Map((error as RowRejectedError).rows.map((row) => [`${row.organization} ${row.id}`, row]));
  const left: ViewsChange[] = [];
  try {
    for (const change of changes) {
      const row = change.kind === 'upsert' && rejected.get(`${change.row.organization} ${change.row.id}`);
      if (row) await fail(documents, change.row, row);
      else left.push(change);
    }
  } catch (fault) {
    onFault(fault);
    return null;
  }
  return left.length < changes.length ? left : null;
}

/** A document that is done or failed already stays so; the fault was reported. */
async function fail(
  documents: Pick<DocumentRepository, 'change'>,
  { organization, id, contentVersion }: DocumentRow,
  { reason }: RejectedRow,
): Promise<void> {
  const failure = { code: 'views_rejected', message: `The views do not take this document: ${reason}` };
  await documents.change(systemScope(organization), id, systemCause(), (state) =>
    decideFailure(state, contentVersion, 'indexing', failure),
  );
}
