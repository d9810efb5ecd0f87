import { Command } from '@nestjs/cqrs';
import type { AcceptedContent } from '#features/documents/requests';
import type { Principal, Result } from '#platform/kernel';
import type { AddRefusal, NewDocument } from '../add-document/add-document.command.ts';

export type NewText = NewDocument & { readonly content: string };

/** What became of one item. */
export type AddedItem = Result<
  AcceptedContent,
  Extract<AddRefusal, 'empty_content' | 'forbidden' | 'tag_merging' | 'tag_required' | 'too_many_tags'>
>;

/** Refusals of the whole request, with nothing recorded. */
export type AddDocumentsRefusal = Extract<AddRefusal, 'backlog_full' | 'idempotency_key_reused'>;

/** Stores many texts and queues them, each as `AddDocument` does. The items that are not refused are recorded together. */
export class AddDocuments extends Command<Result<readonly AddedItem[], AddDocumentsRefusal>> {
  constructor(
    readonly principal: Principal,
    /** At least one. */
    readonly documents: readonly NewText[],
    /** For the whole request. */
    readonly idempotencyKey: string | null,
    /** The client repeats a request to which it got no answer. */
    readonly isRetry: boolean,
  ) {
    super();
  }
}
