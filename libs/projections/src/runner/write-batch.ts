import { setTimeout as pause } from 'node:timers/promises';
import { hasCode, systemScope } from '#kernel';
import type { ViewsChange } from '#views';
import type { DeferredUnits, Incomplete, Projected } from '../read-model.ts';
import { NOTHING, type ProjectionOptions, together, type Written } from './options.ts';
import { withoutRejected } from './rejected.ts';

/** Codes of errors after which the views have to be opened again: another writer has taken over, or they are unusable. */
const REOPEN = ['fenced', 'views_damaged', 'views_missing'];

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** How often what is missing is looked for, within three seconds: a store that was restored or moved may be late. */
const LOOKS = 6;

/** Documents of a batch lack something that their events name. */
class IncompleteError extends Error {
  override readonly name = 'IncompleteError';

  constructor(lacking: readonly Incomplete[]) {
    const reasons = lacking.map(
      ({ organization, id, reason }) => `document ${id} of organization ${organization}: ${reason}`,
    );
    super(`something is missing that the log names; ${reasons.join('; ')}`);
  }
}

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
  let looks = 0;
  for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    try {
      if (changes === null) {
        const projected = await project();
        changes = await changesIn(options, projected, ++looks);
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

/**
 * Returns the changes of a batch. A document that lacks something after several looks ends as failed before the views get
 * any further, and is shown without its units, so that it blocks no others.
 * @throws IncompleteError before that
 */
async function changesIn(
  { documents }: ProjectionOptions,
  { changes, incomplete }: Projected,
  looks: number,
): Promise<readonly ViewsChange[]> {
  if (incomplete.length === 0) return changes;
  if (looks < LOOKS) throw new IncompleteError(incomplete);
  for (const { organization, id, contentVersion, reason } of incomplete) {
    await documents.recordLoss(systemScope(organization), id, contentVersion, reason);
  }
  return changes;
}

function writtenBy(change: ViewsChange): Written {
  if (change.kind === 'rows') return NOTHING;
  const units = change.kind === 'upsert' ? change.units : undefined;
  if (units === undefined) return { documents: 1, units: 0 };
  return { documents: 1, units: 'put' in units ? units.put.length : units.units.length };
}
