import { Command } from '@nestjs/cqrs';
import type { AccessRefusal } from '#features/documents';
import type { AcceptedDocument } from '#features/documents/requests';
import type { Metadata, Principal, Result } from '#platform/kernel';

/** What is to change of a document; null: it stays. */
export interface DocumentUpdate {
  /** Replaces the whole content, also a file, and is processed even if it equals the stored one. */
  readonly content: string | null;
  readonly metadata: Metadata | null;
  readonly customId: string | null;
  /** The new set: distinct, in order, never empty. */
  readonly tags: readonly string[] | null;
  readonly filepath: string | null;
  readonly taskType: 'memory' | 'superrag' | null;
  readonly documentDate: string | null;
  /** Absent or null: the file keeps its name. */
  readonly fileName?: string | null;
}

/**
 * `custom_id_taken`: another document has the customId. `forbidden`: also for a tag that the update would add or remove and
 * that the caller may not write. `backlog_full`, `empty_content`: as for an add; with content only. `tag_merging`: a tag of the
 * document is being merged into another one. `too_many_tags`: the document would have more tags than one may have.
 */
export type UpdateRefusal =
  | AccessRefusal
  | 'custom_id_taken'
  | 'backlog_full'
  | 'empty_content'
  | 'tag_merging'
  | 'too_many_tags';

/** Changes a document, by internal id, else by customId. Only new content is processed. */
export class UpdateDocument extends Command<Result<AcceptedDocument, UpdateRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly idOrCustomId: string,
    readonly update: DocumentUpdate,
    /** Of several documents with one customId: one with any of these tags is meant. Empty: with any tags. */
    readonly picked: readonly string[] = [],
  ) {
    super();
  }
}
