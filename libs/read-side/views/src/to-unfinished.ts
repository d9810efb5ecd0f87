import type { DocumentRow } from './documents.ts';
import { secondSpaceOf } from './one-space.ts';
import type { UnfinishedDocument } from './queries.ts';

/** Returns what the pipeline needs of a row. */
export function toUnfinished(row: DocumentRow): UnfinishedDocument {
  const { organization, id, stage, contentVersion, tags, size = 0, updatedAt, isSummarized, language } = row;
  return {
    ...{ organization, id, stage, contentVersion, tag: tags[0] as string, tags, size, updatedAt },
    ...(isSummarized && { isSummarized }),
    ...(language !== null && { language }),
    ...(secondSpaceOf(row) !== null && { hasSecondSpace: true }),
  };
}
