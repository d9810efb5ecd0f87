import {
  blobFolder,
  type DocumentTexts,
  firstRecordedAt,
  foldDocument,
  initialState,
  type Live,
  unitsOf,
} from '#features/documents';
import { isoTime, type JsonObject } from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';
import type { RecordedEvent } from '#ports/event-store';
import { contentHashOf } from './content-hash.ts';
import type { ExportedFiles } from './exported-files.ts';
import { type HistoryEntry, replaceObjects } from './format.ts';
import { withoutRepeatedFetches, withResultsOfUnchangedPages } from './unchanged-pages.ts';

/** What concerns the installation only: starts of stages, its vectors, and that its searches find the document. */
const NOT_EXPORTED = new Set([
  'StageStarted',
  'StageAbandoned',
  'FetchDelayed',
  'ExtractionDeferred',
  'UnitsEmbedded',
  'SecondSpaceEmbedded',
  'DocumentIndexed',
  'DocumentImported',
]);

export interface Sources {
  readonly texts: DocumentTexts;
  readonly blobs: BlobStore;
  readonly files: ExportedFiles;
}

/** Returns the state that the events come to; null if the document is deleted. */
export function liveOf(events: readonly RecordedEvent[]): Live | null {
  const state = events.reduce(foldDocument, initialState);
  return state.status === 'live' ? state : null;
}

/**
 * Returns the line of a document, whose files are written.
 * @throws MissingBlobError if a part of its present content is gone
 */
export async function documentLine(document: Live, events: readonly RecordedEvent[], sources: Sources) {
  const { texts, blobs } = sources;
  const { content } = document;
  const history = await historyOf(document, events, sources);
  const units = await unitsOf(document, texts);
  const { id, customId, title, type, source, url, filepath, taskType, documentDate, metadata } = document;
  const { language, author, canonicalUrl } = document;
  return {
    ...{ id, customId, containerTags: document.tags, title, type, source, url, filepath, taskType, documentDate },
    ...{ language, author, canonicalUrl, metadata, status: document.stage },
    ...{ createdAt: isoTime(document.createdAt), updatedAt: isoTime(document.updatedAt) },
    content: 'parts' in content ? await texts.content(document) : await texts.extracted(document),
    contentHash: await contentHashOf(document, texts, blobs),
    memories: units
      .filter(({ kind }) => kind === 'memory')
      .map(({ id: memoryId, text, speaker }) => ({ id: memoryId, memory: text, speaker })),
    history,
  };
}

async function historyOf(
  { organization, id }: Live,
  events: readonly RecordedEvent[],
  { texts, files }: Sources,
): Promise<readonly HistoryEntry[]> {
  const exported = withResultsOfUnchangedPages(withoutRepeatedFetches(events)).filter(
    ({ envelope }) => !NOT_EXPORTED.has(envelope.type),
  );
  const folder = blobFolder(organization, id);
  const isOwn = ({ blob }: JsonObject): boolean => typeof blob === 'string' && blob.startsWith(folder);
  const hashes = new Map<string, string | null>();
  for (const { payload } of exported) {
    replaceObjects(payload, (object) => {
      if (isOwn(object)) hashes.set(object.blob as string, null);
      return null;
    });
  }
  for (const blob of hashes.keys()) hashes.set(blob, await files.add(blob));
  const withFiles = (object: JsonObject): JsonObject | null => {
    if (!isOwn(object)) return null;
    const blob = object.blob as string;
    return { ...object, blob: blob.slice(folder.length), sha256: hashes.get(blob) ?? null };
  };
  const timeOf = await firstRecordedAt(events, texts);
  return exported.map((event) => {
    const { envelope, payload } = event;
    const { type, schemaVersion, tags, correlationId, contentVersion, stage, attempt, code, sizes } = envelope;
    return {
      ...{ at: timeOf(event), type, schemaVersion, tags, correlationId },
      ...(contentVersion !== undefined && { contentVersion }),
      ...(stage !== undefined && { stage }),
      ...(attempt !== undefined && { attempt }),
      ...(code !== undefined && { code }),
      ...(sizes !== undefined && { sizes }),
      payload: replaceObjects(payload, withFiles) as JsonObject | null,
    };
  });
}
