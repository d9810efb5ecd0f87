import type { Count, Timestamp } from '../openapi/scalars.ts';

/** Answers about events. The classes are types only; none is instantiated. */

/** The envelope of an event. Never content, metadata, customId or title. */
export class DocumentEvent {
  readonly id!: string;
  readonly type!: string;
  readonly schemaVersion!: Count;
  readonly at!: Timestamp;
  readonly organization!: string;
  readonly documentId!: string | null;
  readonly revision!: Count;
  readonly tags!: readonly string[];
  /** `key:<id>` or `system`. */
  readonly actor!: string;
  readonly correlationId!: string;
  readonly causationId!: string | null;
  readonly contentVersion?: Count;
  readonly stage?: string;
  readonly attempt?: Count;
  /** Machine code of a failure. */
  readonly code?: string;
  readonly sizes?: Readonly<Record<string, number>>;
}

export class DocumentEvents {
  readonly events!: readonly DocumentEvent[];
}
