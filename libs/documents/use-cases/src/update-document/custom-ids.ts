import { Inject, Injectable } from '@nestjs/common';
import { customIdStream, DocumentRepository, decideRelease, isAbandoned } from '#documents';
import type { Cause } from '#event-store';
import { type AccessScope, CLOCK, type Clock, hasCode, systemScope } from '#kernel';

/** Gives existing documents other customIds. */
@Injectable()
export class CustomIds {
  constructor(
    private readonly documents: DocumentRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Reserves a customId for a document, before the document records it. @returns false: another document has it */
  async claim(scope: AccessScope, cause: Cause, customId: string, id: string): Promise<boolean> {
    const { organization } = scope;
    const stream = customIdStream(organization, customId);
    const claim = await this.documents.claims.load(stream);
    let vacant: string | null = null;
    if (claim.status === 'claimed' && claim.documentId !== id) {
      // The owner may be outside the caller's tags.
      const owner = await this.documents.load(systemScope(organization), claim.documentId);
      const hasName = owner.status === 'live' && owner.customId === customId;
      const isVacant = owner.status === 'deleted' || (!hasName && isAbandoned(claim, this.clock.now()));
      if (isVacant) vacant = claim.documentId;
    }
    const claimOf = { documentId: id, fingerprint: null };
    const taken = await this.documents.claims.take(scope, stream, cause, claimOf, (now) => now.documentId === vacant);
    return taken.documentId === id;
  }

  /** Makes a customId free for other documents. Optional where the document does not have it: such a claim is taken over. */
  async release(scope: AccessScope, cause: Cause, customId: string, id: string): Promise<void> {
    const stream = customIdStream(scope.organization, customId);
    try {
      await this.documents.claims.change(scope, stream, cause, (state) => decideRelease(state, id));
    } catch (error) {
      if (!hasCode(error, 'no_space')) throw error;
    }
  }
}
