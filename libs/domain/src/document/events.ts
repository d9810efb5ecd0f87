import type { Metadata } from '#kernel';

/** A text that stands in the event, or in a blob where it is too long. `length` in UTF-16 code units. */
export type TextRef = { readonly inline: string } | { readonly blob: string; readonly length: number };

/** A list that stands in the event, or as JSON in a blob where it is too long. */
export type ListRef<T> = { readonly inline: readonly T[] } | { readonly blob: string; readonly length: number };

/** A file as it was uploaded, kept in a blob. */
export interface FileRef {
  readonly blob: string;
  readonly bytes: number;
  readonly name: string;
  readonly contentType: string | null;
  readonly fileType: string | null;
  readonly mimeType: string | null;
}

/** What the caller gave to be remembered. */
export type ContentInput = { readonly text: TextRef } | { readonly file: FileRef };

/** `[id, start, end]`: a passage of the extracted text, in UTF-16 code units. */
export type ChunkRef = readonly [id: string, start: number, end: number];
/** `[id, start, end, speaker]`. */
export type MemoryRef = readonly [id: string, start: number, end: number, speaker: string | null];

export type TaskType = 'memory' | 'superrag';

export interface DocumentDetails {
  readonly metadata: Metadata | null;
  readonly filepath: string | null;
  readonly taskType: TaskType;
  readonly documentDate: string | null;
}

/**
 * The events of a document's stream and what each carries in its erasable payload. The facts beside it (content version,
 * stage, attempt, code, sizes) stand in the envelope. DocumentDeleted, StageStarted, DocumentIndexed and
 * ProcessingRestarted carry none.
 */
export interface DocumentPayloads {
  DocumentAdded: DocumentDetails & {
    readonly id: string;
    readonly customId: string | null;
    readonly content: ContentInput;
    readonly type: string;
    readonly source: string;
    readonly url: string | null;
  };
  /** The text grew: `text` stands behind what was there. */
  ContentAppended: { readonly text: TextRef };
  ContentReplaced: { readonly content: ContentInput };
  /** Only what changed is present. Tags stand in the envelope; `metadataAdded` is the rest of a metadata too long for one event. */
  DetailsChanged: { readonly metadata?: Metadata; readonly metadataAdded?: Metadata };
  StageStarted: null;
  ContentExtracted: {
    /** Null: the content is plain text and stands for itself. */
    readonly text: TextRef | null;
    readonly title: string | null;
    readonly summary: string | null;
    readonly type: string;
  };
  ContentChunked: { readonly chunks: ListRef<ChunkRef> };
  MemoriesFormed: { readonly memories: ListRef<MemoryRef> };
  UnitsEmbedded: { readonly space: string };
  DocumentIndexed: null;
  /** `type`: what the document was found to be, where that much is known. */
  ProcessingFailed: { readonly message: string; readonly type?: string };
  ProcessingRestarted: null;
  DocumentDeleted: null;
}

export type DocumentEventType = keyof DocumentPayloads;
