import type { Count, Timestamp } from '../openapi/scalars.ts';

/** Answers about events. The classes are types only; none is instantiated. */

/** The envelope of an event. It never holds content, metadata, customId or title. */
export class DocumentEvent {
  /** Id of the event. */
  readonly id!: string;
  /** Type of the event, such as `DocumentAdded`. */
  readonly type!: string;
  /** Version of the type. */
  readonly schemaVersion!: Count;
  readonly at!: Timestamp;
  /** Id of the organization. */
  readonly organization!: string;
  /** Id of the document, or null if the event concerns none. */
  readonly documentId!: string | null;
  /** Only of a memory that was recorded directly: id of its first version. */
  readonly memoryId?: string;
  /** Number of the event in the history of its document, from 0. */
  readonly revision!: Count;
  /** The container tags of the document. */
  readonly tags!: readonly string[];
  /** `key:<id>`, `member:<id>` of a member who is signed in, or `system`. */
  readonly actor!: string;
  /** Id of the request that caused the event. */
  readonly correlationId!: string;
  /** Id of the event that caused this one, or null. */
  readonly causationId!: string | null;
  /** Version of the content, from 1. */
  readonly contentVersion?: Count;
  /** Step of the processing. */
  readonly stage?: string;
  /** Number of the attempt, from 1. */
  readonly attempt?: Count;
  /** Machine code of a failure. */
  readonly code?: string;
  /** Sizes of the content, by unit: `characters`, `bytes`, `chunks` and others. */
  readonly sizes?: Readonly<Record<string, number>>;
}

/** The history of a document. */
export class DocumentEvents {
  /** The oldest first. */
  readonly events!: readonly DocumentEvent[];
}
