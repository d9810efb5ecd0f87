import { setTimeout as pause } from 'node:timers/promises';
import { hasCode } from '#kernel';
import type { ViewsChange } from '#views';
import type { DeferredUnits, Projected } from '../read-model.ts';
import { BatchLosses } from './batch-losses.ts';
import { NOTHING, type ProjectionOptions, together, type Written } from './options.ts';
import { withoutRejected } from './rejected.ts';

/** Codes of errors after which the views have to be opened again: another writer has taken over, or they are unusable. */
const REOPEN = ['fenced', 'views_damaged', 'views_missing'];

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Projects and writes a batch, for as long as it takes.
 * @param project called again when it failed
 * @returns null: the signal aborted before the batch was written
 * @throws FencedError, ViewsDamagedError, ViewsMissingError: the views have to be opened again
 */
export async function writeBatch(
  options: ProjectionOptions,
  project: () => Promise<Projected>,
  write: (changes: readonly ViewsChange[]) => Promise<void>,
): Promise<Written | null> {
  const { signal, onFault } = options;
  let changes: readonly ViewsChange[] | null = null;
  let deferred: readonly DeferredUnits[] = [];
  const losses = new BatchLosses(options);
  for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    try {
      if (changes === null) {
        const projected = await project();
        await losses.settle(projected.incomplete);
        changes = projected.changes;
        deferred = projected.deferred ?? [];
      }
      for (let [first] = deferred; first !== undefined; [first] = deferred) {
        await options.writeDeferred?.(first);
        deferred = deferred.slice(1);
      }
      await write(changes);
      return changes.reduce((sum, change) => together(sum, writtenBy(change)), NOTHING);
    } catch (error) {
      if (hasCode(error, ...REOPEN)) throw error;
      if (signal.aborted) break;
      onFault(error);
      const left: readonly ViewsChange[] | null = changes && (await withoutRejected(options, changes, error));
      if (left) {
        changes = left;
        deferred = deferred.filter(({ row }) => left.some((change) => change.kind === 'upsert' && change.row === row));
        continue;
      }
      // Projected again: what could not be written elsewhere may be deferred no more.
      if (deferred.length > 0) changes = null;
      await pause(wait, undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}

function writtenBy(change: ViewsChange): Written {
  if (change.kind !== 'upsert') return NOTHING;
  const { units } = change;
  if (units === undefined) return { documents: 1, units: 0 };
  return { documents: 1, units: 'put' in units ? units.put.length : units.units.length };
}
