import type { DocumentRow } from './documents.ts';
import type { UnfinishedDocument } from './port.ts';

/** Returns what the pipeline needs of a row. */
export function toUnfinished(row: Omit<DocumentRow, 'vectorSpaces'>): UnfinishedDocument {
  const { organization, id, stage, contentVersion, tags, size = 0, updatedAt, isSummarized, language } = row;
  return {
    ...{ organization, id, stage, contentVersion, tag: tags[0] as string, size, updatedAt },
    ...(isSummarized && { isSummarized }),
    ...(language && { language }),
  };
}
