import type { EventFacts } from '#platform/kernel';
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

/** The stage that forms the summary of a document, as events and progress name it. */
export const SUMMARIZING = 'summarizing';

/** Stages that have nothing to do for a page that has not changed. */
export const UNCHANGED_STAGES: readonly string[] = ['extracting', 'chunking', 'embedding', 'indexing', SUMMARIZING];

/** Stages that have nothing to do for a version of a memory: their results follow from its event, and it has no summary. */
export const FORMED_STAGES: readonly string[] = ['extracting', 'chunking', SUMMARIZING];

/** Of a document that was added. Shared by all that wait for their first stage. */
const FIRST: Progress = { contentVersion: 1, stage: 'queued', recorded: [] };

/**
 * The same value from the envelopes of a document's events, without their payloads.
 * @param progress null: not known; it is known from the next event on that begins the processing of a version
 * @returns null if it is not known, or if the document is deleted
 */
export function evolveProgress(
  progress: Progress | null,
  { type, contentVersion, stage }: EventFacts & { readonly type: string },
): Progress | null {
  switch (type) {
    case 'DocumentAdded':
    case 'ContentAppended':
    case 'ContentReplaced':
    case 'ProcessingRestarted':
      if (type === 'ProcessingRestarted' && stage === 'chunking') return formed(contentVersion);
      return contentVersion === undefined || contentVersion === 1 ? FIRST : { ...FIRST, contentVersion };
    case 'MemoryRecorded':
    case 'MemoryRevised':
      return formed(contentVersion);
    case 'DocumentDeleted':
      return null;
  }
  if (progress === null || contentVersion !== progress.contentVersion) return progress;
  if (type === 'PageUnchanged') return { ...progress, stage: 'done', recorded: UNCHANGED_STAGES };
  if (stage === undefined) return progress;
  switch (type) {
    case 'StageStarted':
      return { ...progress, stage: stage as DocumentStage };
    case 'ProcessingFailed':
      return { ...progress, stage: 'failed' };
    case 'StageAbandoned':
    case 'PicturesRead':
    case 'ContentChunked':
      return progress;
  }
  const after = STAGE_AFTER[type as DocumentEvent['type']] ?? progress.stage;
  const recorded = progress.recorded.includes(stage) ? progress.recorded : [...progress.recorded, stage];
  // A backfill leaves a document done.
  return { ...progress, stage: progress.stage === 'done' ? 'done' : after, recorded };
}

const formed = (contentVersion = 1): Progress => ({ contentVersion, stage: 'embedding', recorded: FORMED_STAGES });
