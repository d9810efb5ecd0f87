import type { DocumentStage } from '#documents';

/** A piece of work on one version of a document's content. */
export type Work = 'extract' | 'chunk' | 'embed' | 'index';

/** The stage that a piece of work belongs to. */
export const STAGE_OF: Readonly<Record<Work, DocumentStage>> = {
  extract: 'extracting',
  chunk: 'chunking',
  embed: 'embedding',
  index: 'indexing',
};
