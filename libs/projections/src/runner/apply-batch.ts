import type { Position } from '#event-store';
import type { Projected } from '../read-model.ts';
import type { LateUnits } from './late-units.ts';
import type { ProjectionOptions, Written } from './options.ts';
import { writeBatch } from './write-batch.ts';

/** The part of the log that a batch comes from. */
export interface BatchRange {
  /** Null: the log begins with it. */
  readonly before: Position | null;
  readonly position: Position;
}

/**
 * Writes a batch together with the checkpoint: the end of the batch, or the place in the log before which no units are
 * late.
 * @returns and throws as `writeBatch`
 */
export function applyBatch(
  options: ProjectionOptions,
  project: () => Promise<Projected>,
  { before, position }: BatchRange,
  late: LateUnits | null,
): Promise<Written | null> {
  const { writer } = options;
  // Without a checkpoint there is nothing that a restart could begin with.
  if (late === null || before === null)
    return writeBatch(options, project, (changes) => writer.apply(changes, position));
  const write: Parameters<typeof writeBatch>[2] = async (changes, units) => {
    await writer.apply(changes, late.checkpoint(before, position, units.length > 0));
    late.applied(before, position, units);
  };
  return writeBatch(options, project, write, late);
}
