import type { MemoryEvent } from '#features/memories';
import type { EventOf, FormerTags, JsonObject, Location, Metadata, Section } from '#platform/kernel';

/** A text in the event, or in a blob where it is too long. `length` in UTF-16 code units. */
export type TextRef = { readonly inline: string } | { readonly blob: string; readonly length: number };

/** A list in the event, or as JSON in a blob where it is too long. `length` in items. */
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

export type Role = 'user' | 'assistant' | 'system' | 'tool';

/** `image`: its URL. Of an image inside the URL (`data:`), only type and hash are kept. */
export type MessagePart = { readonly text: string } | { readonly image: string };

/** A message of a conversation, as it is stored to be compared with those of later calls. */
export type Message = {
  readonly role: Role;
  readonly parts: readonly MessagePart[];
  readonly name?: string;
  /** As they were sent. */
  readonly toolCalls?: readonly JsonObject[];
};

/** A picture inside its address (`data:`), with the bytes in a blob. `image` as in the message. */
export type SentPicture = { readonly image: string; readonly blob: string; readonly bytes: number };

/** What was read from a picture. `words` null: there are none, or it could not be read, for the reason `code`. */
export type PictureWords = {
  readonly image: string;
  readonly words: string | null;
  readonly code?: string;
  /** It may be read later: it is tried again when the content has changed. */
  readonly again?: true;
};

/** What the caller sent. `page`: the URL of a page, as it was sent. */
export type ContentInput = { readonly text: TextRef } | { readonly page: string } | { readonly file: FileRef };

/** `[id, start, end]`: a passage of the extracted text, in UTF-16 code units; then where it stands in the source, if known. */
export type ChunkRef =
  | readonly [id: string, start: number, end: number]
  | readonly [id: string, start: number, end: number, location: Location];
/** `[id, start, end, speaker]`, then where it stands in the source, if known. */
export type MemoryRef =
  | readonly [id: string, start: number, end: number, speaker: string | null]
  | readonly [id: string, start: number, end: number, speaker: string | null, location: Location];

export type TaskType = 'memory' | 'superrag';

interface InVersion {
  readonly contentVersion: number;
}

interface OfStage extends InVersion {
  /** Status word of the stage, as the contract names it. */
  readonly stage: string;
}

export type DocumentAdded = InVersion &
  EventOf<
    'DocumentAdded',
    {
      readonly id: string;
      readonly customId: string | null;
      readonly content: ContentInput;
      readonly type: string;
      readonly source: string;
      readonly url: string | null;
      readonly metadata: Metadata | null;
      readonly filepath: string | null;
      readonly taskType: TaskType;
      readonly documentDate: string | null;
      /** Hash of the request as it was sent, if nothing else names it: neither a customId nor an Idempotency-Key. */
      readonly sent?: string;
    }
  >;

/** The text grew: `text` follows what was there. */
export type ContentAppended = InVersion &
  EventOf<
    'ContentAppended',
    {
      readonly text: TextRef;
      /** Where deltas begin in the text: each is cut into passages by itself. Absent: the text goes on without a border. */
      readonly borders?: readonly number[];
      /** Hash of the text as it was sent, if that was the new part only. */
      readonly sent?: string;
      /** Id of a request that makes several changes, the same in each of them. Absent: the correlation id. */
      readonly request?: string;
    }
  >;

/** `keepsFile`: the text takes the place of what was read from the file or page, which stays. */
export type ContentReplaced = InVersion &
  EventOf<'ContentReplaced', { readonly content: ContentInput; readonly keepsFile?: true }>;

/** A text for an uploaded document whose file is not read yet. It waits, and is compared with what is read. */
export type TextReceived = InVersion &
  EventOf<
    'TextReceived',
    {
      readonly text: TextRef;
      /** Hash of the text. */
      readonly sent: string;
      /** The text replaces whatever is read. */
      readonly overwrites?: true;
      /** As of `ContentAppended`. */
      readonly request?: string;
    }
  >;

/** The document has another content than its file. The bytes of the file are erased after this. */
export type FileRemoved = InVersion & EventOf<'FileRemoved', { readonly blob: string }>;

/** Only what changed is present. The tags are in the envelope; `metadataAdded` is the rest of a metadata too long for one event. */
export type DetailsChanged = EventOf<
  'DetailsChanged',
  {
    readonly metadata?: Metadata;
    readonly customId?: string;
    readonly filepath?: string;
    /** The new name of the document's file, which becomes its title. */
    readonly fileName?: string;
    readonly taskType?: TaskType;
    readonly documentDate?: string;
    readonly metadataAdded?: Metadata;
    /** As of `ContentAppended`. */
    readonly request?: string;
  }
>;

/**
 * A call has sent messages of a conversation: of those known before, the first `kept` stay, and `messages` follow. The change
 * of the transcript is an event of its own before this one.
 */
export type MessagesReceived = EventOf<
  'MessagesReceived',
  {
    readonly kept: number;
    readonly messages: ListRef<Message>;
    /** How many pictures the messages have. Absent: none. */
    readonly pictures?: number;
    /** Those whose bytes were sent and are not known yet. */
    readonly sentPictures?: readonly SentPicture[];
  }
>;

/** Pictures of the conversation were fetched and read, for every later version of the content too. */
export type PicturesRead = OfStage & EventOf<'PicturesRead', { readonly pictures: ListRef<PictureWords> }>;

export type StageStarted = OfStage & { readonly attempt: number } & EventOf<'StageStarted', null>;

/** The process stopped in order before the stage came to an end: the start with this number does not count. */
export type StageAbandoned = OfStage & { readonly attempt: number } & EventOf<'StageAbandoned', null>;

export type ContentExtracted = OfStage &
  EventOf<
    'ContentExtracted',
    {
      /** Null: the content is plain text and is its own extracted text. */
      readonly text: TextRef | null;
      readonly title: string | null;
      readonly type: string;
      /** Version of the extraction that read it. Absent: 0. */
      readonly reader?: number;
      /** BCP 47, such as `en`. Absent, as each of the following: not known. */
      readonly language?: string;
      readonly author?: string;
      readonly canonicalUrl?: string;
      /** Label of the encoding of the bytes, such as `windows-1251`. */
      readonly encoding?: string;
      /** The values of its front matter, by their names. At most 20,000 bytes as JSON. */
      readonly frontMatter?: JsonObject;
      /** ISO 8601 date or time that the content names as its own. */
      readonly date?: string;
      /** In the order of the text. */
      readonly sections?: ListRef<Section>;
      /** Where deltas begin in it. Absent: there is none. */
      readonly borders?: ListRef<number>;
      /** Of a page that was fetched: what the next request for it names. */
      readonly fetched?: Validators;
    }
  >;

/** Headers of a response by which the server can tell that a page has not changed. */
export type Validators = { readonly etag: string | null; readonly lastModified: string | null };

/** The page was fetched again, and is the same as before. The document is done, with what was formed before. */
export type PageUnchanged = InVersion & EventOf<'PageUnchanged', { readonly fetched: Validators }>;

/**
 * A fetch failed in a way that may pass. `attempt`: tries so far. `code` and `message` say why. `sizes.pause`: milliseconds
 * until the next.
 */
export type FetchDelayed = InVersion & { readonly attempt: number; readonly code: string } & EventOf<
    'FetchDelayed',
    { readonly message: string }
  >;

/** Reading takes long: the document waits in a queue of its own for such work, which `code` names. */
export type ExtractionDeferred = InVersion & { readonly code: string } & EventOf<'ExtractionDeferred', null>;

export type ContentChunked = OfStage &
  EventOf<
    'ContentChunked',
    {
      readonly chunks: ListRef<ChunkRef>;
      /** Key of the unit ids, of chunks and memories: 32 hexadecimal digits. */
      readonly unitKey: string;
    }
  >;

export type MemoriesFormed = OfStage & EventOf<'MemoriesFormed', { readonly memories: ListRef<MemoryRef> }>;

/** Passages that stand for the whole text. Null: they would say no more than the title. The last one counts. */
export type SummaryFormed = OfStage & EventOf<'SummaryFormed', { readonly summary: string | null }>;

export type UnitsEmbedded = OfStage & EventOf<'UnitsEmbedded', { readonly space: string }>;

/** The vectors of all units are cached in a space of other languages too, beside the one of `UnitsEmbedded`. Of no stage. */
export type SecondSpaceEmbedded = InVersion & EventOf<'SecondSpaceEmbedded', { readonly space: string }>;

export type DocumentIndexed = OfStage & EventOf<'DocumentIndexed', null>;

/**
 * `type`: the detected type of the document, if that much is known. `title`: if it had none, and a part of it is one.
 * `resource`: the weights or the program that the machine lacked.
 */
export type ProcessingFailed = OfStage & { readonly code: string } & EventOf<
    'ProcessingFailed',
    { readonly message: string; readonly type?: string; readonly title?: string; readonly resource?: string }
  >;

export type ProcessingRestarted = InVersion & EventOf<'ProcessingRestarted', null>;

/** `[revision, time]`: ISO 8601. */
export type EventTime = readonly [revision: number, at: string];

/**
 * The events so far come from another installation. `times`: when they were recorded there; each is for the events
 * from its revision up to the next one. `formerTags`: by the times there. Absent: the tags have never changed.
 */
export type DocumentImported = EventOf<
  'DocumentImported',
  {
    readonly createdAt: string;
    readonly updatedAt: string;
    readonly times: ListRef<EventTime>;
    readonly formerTags?: readonly FormerTags[];
  }
>;

/** Code of a deletion that no caller asked for: an operator removed the stream with the tools of the log's engine. */
export const STREAM_REMOVED = 'stream_removed';

export type DocumentDeleted = EventOf<'DocumentDeleted', null>;

/** Memories of the document have got streams of their own (`PassageTouched`). */
export type MemoriesTouched = EventOf<'MemoriesTouched', { readonly ids: readonly string[] }>;

/** The events of the stream of a document, or of a memory. */
export type DocumentEvent =
  | DocumentAdded
  | ContentAppended
  | ContentReplaced
  | TextReceived
  | FileRemoved
  | DetailsChanged
  | MessagesReceived
  | PicturesRead
  | StageStarted
  | StageAbandoned
  | ContentExtracted
  | PageUnchanged
  | FetchDelayed
  | ExtractionDeferred
  | ContentChunked
  | MemoriesFormed
  | SummaryFormed
  | UnitsEmbedded
  | SecondSpaceEmbedded
  | DocumentIndexed
  | ProcessingFailed
  | ProcessingRestarted
  | DocumentImported
  | MemoriesTouched
  | DocumentDeleted
  | MemoryEvent;
