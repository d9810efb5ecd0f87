import { type DocumentRepository, decideFailure } from '#features/documents';
import { hasCode, systemScope } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import type { DocumentRow, LeftOutRows, RejectedRow, RowRejectedError, ViewsChange } from '#read-side/views';
import type { ProjectionOptions } from './options.ts';

/**
 * Takes out of a batch what the views reject, so that it blocks nothing else. Documents end as failed before the views get any
 * further: none of them becomes done. Of rows of other read models the views keep in mind that they are missing. A deletion is
 * never left out.
 * @returns null when the whole batch has to be tried again
 */
export async function withoutRejected(
  { documents, writer, onFault }: ProjectionOptions,
  changes: readonly ViewsChange[],
  error: unknown,
): Promise<readonly ViewsChange[] | null> {
  if (!hasCode(error, 'rows_rejected')) return null;
  const rejected = new Map(
    (error as RowRejectedError).rows.map((row) => [`${row.model ?? ''} ${row.organization} ${row.id}`, row]),
  );
  const left: ViewsChange[] = [];
  const leftOut: LeftOutRows[] = [];
  try {
    for (const change of changes) {
      const row = rejected.get(nameOf(change));
      if (row === undefined) left.push(change);
      else if (change.kind === 'upsert') await fail(documents, change.row, row);
      else if (change.kind === 'rows') leftOut.push({ model: change.model, stream: change.stream, reason: row.reason });
    }
    if (leftOut.length > 0) await writer.leaveOut(leftOut);
  } catch (fault) {
    onFault(fault);
    return null;
  }
  return left.length < changes.length ? left : null;
}

/** How a refusal names what it refuses. A stream has rows of one organization. */
function nameOf(change: ViewsChange): string {
  if (change.kind === 'upsert') return ` ${change.row.organization} ${change.row.id}`;
  return change.kind === 'rows' ? `${change.model} ${change.rows[0]?.organization} ${change.stream}` : '';
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
