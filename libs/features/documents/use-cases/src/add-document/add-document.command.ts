import { Command } from '@nestjs/cqrs';
import type { AcceptedContent } from '#features/documents/requests';
import type { Metadata, Principal, Result } from '#platform/kernel';

/** A file that the edge has received completely; `path` is a temporary file that the edge removes afterwards. */
export interface UploadedFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the bytes; 64 hexadecimal digits. */
  readonly sha256: string;
  readonly name: string;
  readonly contentType: string | null;
  /** Document type that the caller states; it overrides detection. */
  readonly fileType: string | null;
  readonly mimeType: string | null;
}

export interface NewDocument {
  readonly content: string | UploadedFile;
  readonly customId: string | null;
  /** Distinct, in order. Empty: the request names none; an existing document keeps what it has. */
  readonly tags: readonly string[];
  /** Null: none given; an existing document keeps what it has. */
  readonly metadata: Metadata | null;
  readonly filepath: string | null;
  readonly taskType: 'memory' | 'superrag';
  readonly documentDate: string | null;
  /** Where it comes from. Default: `api` for a text, `upload` for a file. */
  readonly source?: string;
}

/**
 * `backlog_full`: too many documents wait to be processed; try again later. `empty_content`: nothing but white space.
 * `idempotency_key_reused`: the same key came with another request before. `forbidden`: the key may not write the tags, or
 * the customId or Idempotency-Key belongs to a document that it may not write. `not_a_file`: a file for a document that came
 * as a text or from a URL. `tag_merging`: a tag of the document is being merged into another one. `tag_required`: of a new
 * document whose request names no tag, with a key that may write several. `too_many_tags`: the document would have more tags
 * than one may have.
 */
export type AddRefusal =
  | 'backlog_full'
  | 'empty_content'
  | 'idempotency_key_reused'
  | 'forbidden'
  | 'not_a_file'
  | 'tag_merging'
  | 'tag_required'
  | 'too_many_tags';

/** Stores content and queues it; the same customId means the same document (contract §3.3). */
export class AddDocument extends Command<Result<AcceptedContent, AddRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly document: NewDocument,
    readonly idempotencyKey: string | null,
    /** The client repeats a request to which it got no answer. */
    readonly isRetry: boolean,
  ) {
    super();
  }
}
