import type { Position } from '#ports/event-store';
import type { Projected } from '../read-model.ts';
import type { LateUnits } from './late-units.ts';
import type { ProjectionOptions, WrittenCounts } from './options.ts';
import { writeBatch } from './write-batch.ts';

/**
 * Writes a batch together with the checkpoint: the end of the batch, or the place in the log before which no units are
 * late.
 * @returns and throws as `writeBatch`
 */
export function applyBatch(
  options: ProjectionOptions,
  project: () => Promise<Projected>,
  { before, position }: { readonly before: Position | null; readonly position: Position },
  late: LateUnits | null,
): Promise<WrittenCounts | null> {
  const { writer } = options;
  // Without a checkpoint there is nothing that a restart could begin with.
  if (late === null || before === null)
    return writeBatch(options, project, (changes) => writer.apply(changes, position));
  const write: Parameters<typeof writeBatch>[2] = (changes, units) => late.apply(changes, { before, position }, units);
  return writeBatch(options, project, write, late);
}
