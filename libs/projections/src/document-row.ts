import type { Live } from '#domain';
import type { OrganizationId } from '#kernel';
import type { DocumentRow } from '#views';

/** The row that a document's stream comes to; the same for a read of the stream and for the views. */
export function toRow(document: Live, revision: number): DocumentRow {
  return {
    organization: document.organization as OrganizationId,
    id: document.id,
    customId: document.customId,
    tags: document.tags,
    metadata: document.metadata,
    stage: document.stage,
    error: document.error,
    contentVersion: document.contentVersion,
    title: document.title,
    summary: document.summary,
    type: document.type,
    url: document.url,
    source: document.source,
    filepath: document.filepath,
    taskType: document.taskType,
    documentDate: document.documentDate,
    vectorSpace: document.vectorSpace,
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
    revision,
  };
}
