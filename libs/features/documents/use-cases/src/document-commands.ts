import { type DocumentDeletion, type DocumentRepository, type DocumentTexts, type Erasure } from '#features/documents';
import { type Admission, IdempotencyKeys } from '#features/documents/requests';
import type { Clock } from '#platform/kernel';
import type { BlobStore } from '#ports/blobs';
import type { CurrentViews, RecentDeletions } from '#read-side/views';
import type { AddDocument } from './add-document/add-document.command.ts';
import { AddDocumentHandler } from './add-document/add-document.handler.ts';
import { DraftedAdds } from './add-document/drafted-adds.ts';
import { RecentAdds } from './add-document/recent-adds.ts';
import { SaidAgain } from './add-document/said-again.ts';
import { StoredContents } from './add-document/stored-contents.ts';
import type { DeleteDocument } from './delete-document/delete-document.command.ts';
import { DeleteDocumentHandler } from './delete-document/delete-document.handler.ts';
import { JointRecorder } from './joint-recorder.ts';
import type { UpdateDocument } from './update-document/update-document.command.ts';
import { UpdateDocumentHandler } from './update-document/update-document.handler.ts';

/** What the commands work with. */
export interface DocumentCommandParts {
  readonly documents: DocumentRepository;
  readonly texts: DocumentTexts;
  readonly blobs: BlobStore;
  readonly erasure: Erasure;
  readonly deletion: DocumentDeletion;
  readonly deletions: RecentDeletions;
  readonly views: CurrentViews;
  readonly admission: Admission;
  readonly clock: Clock;
}

/** Use cases that work in the background calls, in processes without an edge too. */
export class DocumentCommands {
  readonly #add: AddDocumentHandler;
  readonly #update: UpdateDocumentHandler;
  readonly #delete: DeleteDocumentHandler;

  constructor(parts: DocumentCommandParts) {
    const { documents, texts, blobs, erasure, deletion, deletions, views, admission, clock } = parts;
    const recorder = new JointRecorder(documents, deletion, erasure);
    const saidAgain = new SaidAgain(documents, texts, views, clock);
    const drafts = new DraftedAdds(documents, texts, new StoredContents(texts, blobs), saidAgain, clock);
    const recent = new RecentAdds(documents, views, clock);
    const keys = new IdempotencyKeys(documents, clock);
    this.#add = new AddDocumentHandler(documents, drafts, recorder, erasure, recent, keys, admission);
    this.#update = new UpdateDocumentHandler(documents, texts, recorder, erasure, admission, clock);
    this.#delete = new DeleteDocumentHandler(deletion, erasure, deletions);
  }

  add(command: AddDocument): ReturnType<AddDocumentHandler['execute']> {
    return this.#add.execute(command);
  }

  update(command: UpdateDocument): ReturnType<UpdateDocumentHandler['execute']> {
    return this.#update.execute(command);
  }

  delete(command: DeleteDocument): ReturnType<DeleteDocumentHandler['execute']> {
    return this.#delete.execute(command);
  }
}
