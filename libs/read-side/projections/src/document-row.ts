import { contentSize, type Live, lossFailure } from '#features/documents';
import { expiresAt, inactiveFrom, isInDocument, latestVersion, type Memory, validTimes } from '#features/memories';
import type { OrganizationId } from '#platform/kernel';
import type { RecordedEvent } from '#ports/event-store';
import { type DocumentRow, dateOf, type RowMemory, textHash } from '#read-side/views';

/** Returns the row of a document; the same for a read of the stream and for the views. */
export function toRow(document: Live, revision: number): DocumentRow {
  return {
    organization: document.organization as OrganizationId,
    id: document.id,
    customId: document.customId,
    tags: document.tags,
    ...(document.formerTags.length > 0 && { formerTags: document.formerTags }),
    metadata: document.metadata,
    ...(document.frontMatter !== null && { frontMatter: document.frontMatter }),
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
    documentDate: document.documentDate ?? document.contentDate,
    language: document.language,
    author: document.author,
    canonicalUrl: document.canonicalUrl,
    vectorSpaces: [document.vectorSpace, document.secondSpace].filter((space) => space !== null),
    ...(document.isSummarized && { isSummarized: true }),
    ...(document.stage !== 'done' && document.stage !== 'failed' && { size: contentSize(document) }),
    ...storedBytesOf(document),
    ...(document.sent !== null && { sent: document.sent }),
    ...(document.discarded > 0 && { hasFormers: true }),
    ...(document.memory !== null && { memory: memoryOf(document.memory, document.organization) }),
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
    revision,
  };
}

function storedBytesOf({ content, memory }: Live): Pick<DocumentRow, 'storedBytes'> {
  const storedBytes =
    contentSize({ content }) + (memory?.versions.reduce((sum, { text }) => sum + text.length, 0) ?? 0);
  return storedBytes === 0 ? {} : { storedBytes };
}

function memoryOf(memory: Memory, organization: string): RowMemory {
  const { text, isStatic, forgetAfter, forgetReason, temporalContext } = latestVersion(memory);
  return {
    version: memory.versions.length,
    isStatic,
    isForgotten: memory.forgotten !== null,
    forgetAfter,
    forgetReason: memory.forgotten?.reason ?? forgetReason,
    temporalContext,
    inactiveFrom: inactiveFrom(memory),
    expiresAt: expiresAt(memory),
    textHash: textHash(organization, text),
    ...validOf(memory, null),
  };
}

/** @param document null: it was recorded directly */
function validOf(memory: Memory, document: DocumentRow | null): Pick<RowMemory, 'valid'> {
  const valid = validTimes(memory, document && dateOf(document.documentDate)).at(-1);
  return valid === undefined ? {} : { valid };
}

/**
 * Returns the row of a memory that was formed from a document, with what it has from the document.
 * @param own the row of its stream
 * @param passage text of its first version
 */
export function memoryRow(
  own: DocumentRow,
  { document, memory, passage }: { document: DocumentRow; memory: Memory; passage: string },
): DocumentRow {
  const { formerTags: _, ...rest } = own;
  const isFirst = isInDocument(memory);
  const metadata = { ...document.metadata, ...own.metadata };
  const hash = textHash(own.organization, isFirst ? passage : latestVersion(memory).text);
  return {
    ...rest,
    type: 'passage',
    ...(document.formerTags && { formerTags: document.formerTags }),
    ...(document.frontMatter && { frontMatter: document.frontMatter }),
    ...{ tags: document.tags, filepath: document.filepath, title: document.title, source: document.source },
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
    documentDate: own.documentDate ?? document.documentDate,
    ...(isFirst && { language: document.language, createdAt: document.createdAt }),
    ...(own.memory && {
      memory: { ...own.memory, documentId: document.id, textHash: hash, ...validOf(memory, document) },
    }),
  };
}

/**
 * Returns the row, as failed, of a document whose payloads cannot be read, from its envelopes.
 * @param events of its stream, all of them; at least one
 */
export function toUnreadableRow(id: string, events: readonly RecordedEvent[], reason: string): DocumentRow {
  const { organization, at: createdAt } = (events[0] as RecordedEvent).envelope;
  const { revision, envelope } = events.at(-1) as RecordedEvent;
  const versions = events.map(({ envelope: { contentVersion = 1 } }) => contentVersion);
  return {
    ...{ organization, id, tags: envelope.tags, revision },
    ...{ stage: 'failed', error: { stage: 'indexing', ...lossFailure(reason) } },
    contentVersion: Math.max(...versions),
    ...{ createdAt: Date.parse(createdAt), updatedAt: Date.parse(envelope.at) },
    ...{ customId: null, metadata: null, title: null, summary: null, type: 'text', url: null, source: null },
    ...{ filepath: null, taskType: 'memory', documentDate: null, vectorSpaces: [] },
    ...{ language: null, author: null, canonicalUrl: null },
  };
}
