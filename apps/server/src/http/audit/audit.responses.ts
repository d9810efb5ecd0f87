import type { AuditedAction, AuditPage } from '#features/audit/use-cases';
import { isoTime } from '#platform/kernel';
import { type Pagination, pagination } from '../documents/documents.responses.ts';
import type { Count, Timestamp } from '../openapi/scalars.ts';

/** Answers about the audit. The classes are types only; none is instantiated. */

/** An action that changed something, and who did it. */
export class AuditRecord {
  /** Id of the event in the log. */
  readonly id!: string;
  /** When it was done. */
  readonly at!: Timestamp;
  /** `key:` and the id of the key, `member:` and the id of a member who was signed in, or `system`. */
  readonly actor!: string;
  /** What was acted on, and what was done with it, such as `key.created`. */
  readonly action!: string;
  /** Id of what was acted on. Null: it is not one thing, or has no id. */
  readonly targetId!: string | null;
  /** Of a document or memory, of a bulk deletion by tags, or of a merge: its target first. Empty otherwise. */
  readonly containerTags!: readonly string[];
  /** How many documents a bulk deletion has erased. Only of `deletion.finished`. */
  readonly documents?: Count;
}

/** A page of the audit. */
export class AuditList {
  /** The newest first. */
  readonly audit!: readonly AuditRecord[];
  readonly pagination!: Pagination;
}

export const auditList = ({ entries, total, page, limit }: AuditPage): AuditList => ({
  audit: entries.map(auditRecord),
  pagination: pagination({ page, limit }, total),
});

const auditRecord = ({ at, documents, ...entry }: AuditedAction): AuditRecord => ({
  ...entry,
  at: isoTime(at),
  ...(documents !== null && { documents }),
});
