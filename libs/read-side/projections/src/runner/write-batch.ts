import { setTimeout as pause } from 'node:timers/promises';
import { hasCode } from '#platform/kernel';
import type { ViewsChange } from '#read-side/views';
import type { DeferredUnits, Projected } from '../read-model.ts';
import { BatchLosses } from './batch-losses.ts';
import type { LateUnits } from './late-units.ts';
import {
  FIRST_PAUSE_MS,
  LONGEST_PAUSE_MS,
  NOTHING,
  type ProjectionOptions,
  REOPEN,
  together,
  type WrittenCounts,
} from './options.ts';
import { withoutRejected } from './rejected.ts';

/**
 * Projects and writes a batch, for as long as it takes.
 * @param project called again when it failed
 * @param write gets those of the deferred units too that are to be written late
 * @param late null: all deferred units are written before the batch
 * @returns null: the signal aborted before the batch was written
 * @throws FencedError, ViewsDamagedError, ViewsMissingError: the views have to be opened again
 */
export async function writeBatch(
  options: ProjectionOptions,
  project: () => Promise<Projected>,
  write: (changes: readonly ViewsChange[], late: readonly DeferredUnits[]) => Promise<void>,
  late: LateUnits | null = null,
): Promise<WrittenCounts | null> {
  const { signal, onFault } = options;
  let changes: readonly ViewsChange[] | null = null;
  let deferred: readonly DeferredUnits[] = [];
  let later: readonly DeferredUnits[] = [];
  const losses = new BatchLosses(options);
  for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    try {
      if (changes === null) {
        const projected = await project();
        await losses.settle(projected.incomplete);
        changes = projected.changes;
        await late?.overtake(changes, projected.deferred ?? []);
        [later, deferred] = await divided(projected.deferred ?? [], late);
      }
      for (let [first] = deferred; first !== undefined; [first] = deferred) {
        await options.writeDeferred?.(first);
        deferred = deferred.slice(1);
      }
      await write(changes, later);
      return changes.reduce((sum, change) => together(sum, writtenBy(change)), NOTHING);
    } catch (error) {
      if (hasCode(error, ...REOPEN)) throw error;
      if (signal.aborted) break;
      onFault(error);
      const left: readonly ViewsChange[] | null = changes && (await withoutRejected(options, changes, error));
      if (left) {
        changes = left;
        const isLeft = ({ row }: DeferredUnits) =>
          left.some((change) => change.kind === 'upsert' && change.row === row);
        deferred = deferred.filter(isLeft);
        later = later.filter(isLeft);
        continue;
      }
      // Projected again: what could not be written elsewhere may be deferred no more.
      if (deferred.length > 0) changes = null;
      await pause(wait, undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}

/** Returns the units that are written late, and those that are written before their batch. */
async function divided(
  units: readonly DeferredUnits[],
  late: LateUnits | null,
): Promise<readonly [late: DeferredUnits[], now: DeferredUnits[]]> {
  const later = await Promise.all(units.map((one) => late?.takes(one) ?? false));
  return [units.filter((_, i) => later[i]), units.filter((_, i) => !later[i])];
}

function writtenBy(change: ViewsChange): WrittenCounts {
  if (change.kind !== 'upsert') return NOTHING;
  const { units } = change;
  if (units === undefined) return { documents: 1, units: 0 };
  return { documents: 1, units: 'put' in units ? units.put.length : units.units.length };
}
