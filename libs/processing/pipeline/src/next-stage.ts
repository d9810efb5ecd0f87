import { type DocumentStage, type Progress, SUMMARIZING } from '#features/documents';
import type { Resource, Stage } from './stages/stage.ts';

type IsAvailable = (resource: Resource) => boolean;

/**
 * The stage that a document goes to next. A stage whose resource is missing is skipped.
 * @param stages each after its predecessor
 * @returns null: nothing is left to do, or nothing any more
 */
export function nextStage(progress: Progress | null, stages: readonly Stage[], isAvailable: IsAvailable): Stage | null {
  if (progress === null || progress.stage === 'failed' || progress.stage === 'done') return null;
  const open = stages.filter(({ leadsTo, status }) => leadsTo === 'done' && !progress.recorded.includes(status));
  return open.find(({ needs }) => needs === null || isAvailable(needs)) ?? null;
}

/** The backfill that a document which is done lacks. @returns null: none, or its resource is missing */
export function nextBackfill(
  progress: Progress | null,
  stages: readonly Stage[],
  isAvailable: IsAvailable,
): Stage | null {
  if (progress?.stage !== 'done') return null;
  const open = stages.filter((stage) => isBackfill(stage) && !progress.recorded.includes(stage.status));
  return open.find(({ needs }) => needs === null || isAvailable(needs)) ?? null;
}

/** Whether the stage can be made up for documents that are done. */
export const isBackfill = ({ leadsTo, needs }: Stage): boolean => leadsTo === 'backfill' || needs !== null;

/** The progress that a row of the views stands for: everything before its stage is recorded. */
export function progressOfRow(
  row: { readonly stage: DocumentStage; readonly contentVersion: number; readonly isSummarized?: true },
  stages: readonly Stage[],
): Progress {
  const { stage, contentVersion, isSummarized = false } = row;
  const path = stages.filter(({ leadsTo }) => leadsTo === 'done').map(({ status }) => status);
  const entered = path.indexOf(stage);
  const recorded = entered < 0 ? [] : path.slice(0, entered);
  return { stage, contentVersion, recorded: isSummarized ? [...recorded, SUMMARIZING] : recorded };
}
