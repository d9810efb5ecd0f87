import type { Memory } from '#features/memories';
import type { FormerTags, JsonObject, Metadata, Section } from '#platform/kernel';
import type {
  ChunkRef,
  FileRef,
  ListRef,
  MemoryRef,
  Message,
  PictureWords,
  SentPicture,
  TaskType,
  TextRef,
  Validators,
} from './events.ts';

export interface Absent {
  readonly status: 'absent';
}

/** What remains of a document after its deletion. */
export interface Deleted {
  readonly status: 'deleted';
  /** Those of its last event: they decide who may see what happened to it. */
  readonly tags: readonly string[];
  /**
   * An operator removed the document's stream with the tools of the log's engine, and no caller has deleted the document
   * since. `found`: the log does not say so yet, and the tags are not known. Absent: a caller deleted it.
   */
  readonly removal?: 'found' | 'recorded';
}

/** The messages that the calls for a conversation have sent. */
export interface Conversation {
  /** In order: so many messages from the beginning of each list. */
  readonly lists: readonly { readonly list: ListRef<Message>; readonly count: number }[];
  /** Messages that the last call added, if nothing has changed the content since; 0 otherwise. */
  readonly lastAdded: number;
  /** Null: no message has one. */
  readonly pictures: Pictures | null;
}

/** The pictures of a conversation. */
export interface Pictures {
  /** Those whose bytes were sent. */
  readonly sent: readonly SentPicture[];
  /** What was read from them, in the order of the reading. */
  readonly read: readonly ListRef<PictureWords>[];
}

/**
 * The parts of the text in order, or the URL of a page as it was sent, or the file; or both: a page or file that texts were
 * added to. `isRead`: the first part is what was read from the page or file.
 */
export type Content =
  | { readonly parts: readonly TextRef[] }
  | { readonly page: string }
  | { readonly page: string; readonly parts: readonly TextRef[]; readonly isRead: boolean }
  | { readonly file: FileRef }
  | { readonly file: FileRef; readonly parts: readonly TextRef[]; readonly isRead: boolean };

export interface WaitingText {
  readonly text: TextRef;
  /** Hash of the text. */
  readonly sent: string;
  readonly request: string;
  /** It replaces whatever is read. */
  readonly overwrites: boolean;
}

/** The deltas of one request, with nothing written after them. */
export interface Deltas {
  readonly request: string;
  /** Of the texts as they were sent. */
  readonly hashes: readonly string[];
}

/** What was formed of a page, kept while the page is fetched again. */
export interface FormerPage {
  readonly extracted: TextRef;
  readonly chunks: ListRef<ChunkRef>;
  readonly memories: ListRef<MemoryRef>;
  readonly vectorSpace: string | null;
  readonly secondSpace: string | null;
  readonly isSummarized: boolean;
}

/** Why a fetch failed, and when it is tried again (milliseconds since the epoch). */
export interface FetchRetry {
  readonly code: string;
  readonly message: string;
  readonly at: number;
}

/** What every live document has, whatever its stage. */
interface Common {
  readonly status: 'live';
  readonly id: string;
  readonly organization: string;
  readonly customId: string | null;
  readonly tags: readonly string[];
  /** Those before each of the last 100 changes of the tags, the first one first. */
  readonly formerTags: readonly FormerTags[];
  readonly metadata: Metadata | null;
  readonly filepath: string | null;
  readonly taskType: TaskType;
  /** As a caller has sent it. */
  readonly documentDate: string | null;
  /** The date that the content names as its own, which counts where a caller has sent none. */
  readonly contentDate: string | null;
  /** The date with which the present units were formed, and are embedded and indexed. */
  readonly unitsDate: string | null;
  readonly type: string;
  readonly source: string;
  readonly url: string | null;
  readonly content: Content;
  /** Where deltas begin in the content: each is cut into passages by itself. In UTF-16 code units, in order. */
  readonly borders: readonly number[];
  /** The same in the text that was read. Null: there is none, or the text is not read. */
  readonly extractedBorders: ListRef<number> | null;
  /** Texts that came before the file was read, in order. */
  readonly waiting: readonly WaitingText[];
  /** Raised by every change of the content and by nothing else; a result for another version is dropped. */
  readonly contentVersion: number;
  /** Hash of the request that added the document. Null: it had a customId or an Idempotency-Key. */
  readonly sent: string | null;
  /** Of the page that the present text was read from. Null: it was not fetched. */
  readonly fetched: Validators | null;
  /** Null: the page is not being fetched again. */
  readonly formerPage: FormerPage | null;
  /** Fetches of the present version that failed and are tried again. */
  readonly failedFetches: number;
  /** Null: no fetch waits for its next try. */
  readonly retry: FetchRetry | null;
  /** Starts of the present stage that have had no outcome yet. */
  readonly attempts: number;
  /** Stages whose result is recorded for the present content version, in order, by their status words. */
  readonly recorded: readonly string[];
  /** Key of the unit ids, for all versions of the content. Null: not needed yet. */
  readonly unitKey: string | null;
  /** Null: no call has sent messages for the document. */
  readonly conversation: Conversation | null;
  readonly title: string | null;
  readonly summary: string | null;
  /** Whether `summary` is the recorded one of the present content version, also if that is null. */
  readonly isSummarized: boolean;
  /** BCP 47. Null: not known. */
  readonly language: string | null;
  readonly author: string | null;
  readonly canonicalUrl: string | null;
  /** Of the bytes of a file or page, as a label of the Encoding Standard. Null: of none, of several, or not known. */
  readonly encoding: string | null;
  /** The values of the front matter, by their names. Null: there is none, or it is not known. */
  readonly frontMatter: JsonObject | null;
  /** Of what was read from the content, or from the first of its parts. Null: it has none. */
  readonly sections: ListRef<Section> | null;
  /** Version of the extraction that read the content. 0: not read yet, or by a program whose events name none. */
  readonly reader: number;
  /** What the last write appended, if it was a delta: by it a retry of the request is recognised. */
  readonly deltas: Deltas | null;
  /** Correlation id of the newest content change, which what follows from it carries too. */
  readonly request: string;
  /**
   * The space of other languages than that of `vectorSpace`, in which the present content version has vectors beside those.
   * Null: none.
   */
  readonly secondSpace: string | null;
  /** Null: a document. */
  readonly memory: Memory | null;
  /** How often content that searches knew was discarded for another, or to be processed again. */
  readonly discarded: number;
  /** Of a document: ids of its memories that have streams of their own, whether their passages are there or not. */
  readonly touched: readonly string[];
  /** It comes from another installation, and no caller has changed it since. */
  readonly isImported: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface Unextracted {
  readonly extracted: null;
  readonly chunks: null;
  readonly memories: null;
  readonly vectorSpace: null;
}

interface Extracted {
  /** `content`: the stored text is its own extracted text. */
  readonly extracted: 'content' | TextRef;
  readonly chunks: ListRef<ChunkRef> | null;
  readonly memories: null;
  readonly vectorSpace: null;
}

interface Formed {
  readonly extracted: 'content' | TextRef;
  readonly chunks: ListRef<ChunkRef>;
  readonly memories: ListRef<MemoryRef>;
  /** The space in which the vectors of the present content version were made. Null: none yet. */
  readonly vectorSpace: string | null;
}

interface Healthy {
  readonly error: null;
}

export interface Failure {
  readonly stage: string;
  readonly code: string;
  readonly message: string;
  /** The weights or the program that the machine lacked. */
  readonly resource?: string;
}

/** Waits for its text to be read, or is being read. */
export type Unread = Common & Healthy & Unextracted & { readonly stage: 'queued' | 'extracting' };
/** Its text is read; chunks and memories are not formed yet. */
export type Unformed = Common & Healthy & Extracted & { readonly stage: 'chunking' };
/** Chunks and memories are formed. */
export type Ready = Common & Healthy & Formed & { readonly stage: 'embedding' | 'indexing' | 'done' };
/** Given up, with whatever was recorded until then. */
export type Failed = Common &
  (Unextracted | Extracted | Formed) & { readonly stage: 'failed'; readonly error: Failure };

export type Live = Unread | Unformed | Ready | Failed;

/** A memory in the shape of a document, as pipeline, projection and vector spaces read it. */
export type MemoryDocument = Live & { readonly memory: Memory };

export type DocumentState = Absent | Deleted | Live;

export type DocumentStage = Live['stage'];

export const initialState: DocumentState = { status: 'absent' };

/** Of a document whose stream was removed with the tools of the log's engine. */
export const removedState: DocumentState = { status: 'deleted', tags: [], removal: 'found' };

/** Version of the shape of the state; snapshots of other versions are ignored. */
export const STATE_VERSION = 26;

/** False: a document, or a memory that is deleted or not permitted. */
export const isMemoryDocument = (state: { readonly status: string }): state is MemoryDocument =>
  state.status === 'live' && (state as Live).memory !== null;

/** Returns the memory of a state; null where `isMemoryDocument` is false. */
export const memoryIn = (state: { readonly status: string }): Memory | null =>
  isMemoryDocument(state) ? state.memory : null;

/** Whether the document is being processed, or waits for it. */
export const isInWork = (state: DocumentState): boolean =>
  state.status === 'live' && state.stage !== 'done' && state.stage !== 'failed';

/** Whether a text for the document has to wait, because its file is not read yet. */
export const awaitsReading = ({ content, extracted, stage, waiting }: Live): boolean =>
  waiting.length > 0 || (!('parts' in content) && extracted === null && stage !== 'failed');
