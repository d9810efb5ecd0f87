import { Inject, Injectable } from '@nestjs/common';
import { type Claimed, DocumentRepository, idempotencyStream } from '#documents';
import type { Cause } from '#event-store';
import { type AccessScope, CLOCK, type Clock, newId, ok } from '#kernel';

/** How long an Idempotency-Key is remembered. */
const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

/** The Idempotency-Keys of requests: what the first request with each of them was, and what it led to. */
@Injectable()
export class IdempotencyKeys {
  constructor(
    private readonly documents: DocumentRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Claims a key, unless a request of the last 24 hours has it.
   * @returns the claim of the first request; if its fingerprint is another one, the key came with another request
   */
  claim(scope: AccessScope, cause: Cause, key: string, fingerprint: string): Promise<Claimed> {
    const stream = idempotencyStream(scope.organization, key);
    const hasExpired = ({ at }: Claimed) => this.clock.now() - at > IDEMPOTENCY_MS;
    return this.documents.claims.take(scope, stream, cause, { documentId: newId(), fingerprint }, hasExpired);
  }

  /** Records what the request with a key was answered; null for an item that was refused. */
  async answered(
    scope: AccessScope,
    cause: Cause,
    key: string,
    documentIds: readonly (string | null)[],
  ): Promise<void> {
    const stream = idempotencyStream(scope.organization, key);
    await this.documents.claims.change(scope, stream, cause, (state) =>
      ok(
        state.status === 'claimed' && state.documentIds === null
          ? [{ type: 'RequestAnswered', payload: { documentIds } }]
          : [],
      ),
    );
  }
}
