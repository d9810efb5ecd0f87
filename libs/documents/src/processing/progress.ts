import type { EventFacts } from '#kernel';
import type { DocumentEvent } from '../events.ts';
import type { DocumentStage, Live } from '../state.ts';

/** How far the processing of one version of a document has come: all that decides what comes next. */
export interface Progress {
  readonly contentVersion: number;
  readonly stage: DocumentStage;
  /** Stages whose result is recorded, by their status words, in the order of their results. */
  readonly recorded: readonly string[];
}

/** The stage that a document enters with a result. */
const STAGE_AFTER: { readonly [Type in DocumentEvent['type']]?: DocumentStage } = {
  ContentExtracted: 'chunking',
  MemoriesFormed: 'embedding',
  UnitsEmbedded: 'indexing',
  DocumentIndexed: 'done',
};

export const progressOf = ({ contentVersion, stage, recorded }: Live): Progress => ({
  contentVersion,
  stage,
  recorded,
});

/**
 * The same value from the envelopes of a document's events, without their payloads.
 * @returns null if the document is not there, or was deleted
 */
export function evolveProgress(
  progress: Progress | null,
  { type, contentVersion, stage }: EventFacts & { readonly type: string },
): Progress | null {
  switch (type) {
    case 'DocumentAdded':
      return unprocessed(contentVersion ?? 1);
    case 'DocumentDeleted':
      return null;
  }
  if (progress === null) return null;
  switch (type) {
    case 'ContentAppended':
    case 'ContentReplaced':
      return unprocessed(contentVersion ?? progress.contentVersion + 1);
    case 'ProcessingRestarted':
      return unprocessed(progress.contentVersion);
  }
  if (contentVersion !== progress.contentVersion || stage === undefined) return progress;
  switch (type) {
    case 'StageStarted':
      return { ...progress, stage: stage as DocumentStage };
    case 'ProcessingFailed':
      return { ...progress, stage: 'failed' };
    case 'ContentChunked':
      return progress;
  }
  const after = STAGE_AFTER[type as DocumentEvent['type']] ?? progress.stage;
  const recorded = progress.recorded.includes(stage) ? progress.recorded : [...progress.recorded, stage];
  // A backfill leaves a document done.
  return { ...progress, stage: progress.stage === 'done' ? 'done' : after, recorded };
}

const unprocessed = (contentVersion: number): Progress => ({ contentVersion, stage: 'queued', recorded: [] });
