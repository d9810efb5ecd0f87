import { Inject, Injectable } from '@nestjs/common';
import { type ClaimState, DocumentRepository, decideClaim, idempotencyStream } from '#documents';
import type { Cause } from '#event-store';
import { type AccessScope, CLOCK, type Clock, newId, ok } from '#kernel';

/** How long an Idempotency-Key is remembered. */
const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

export type ClaimedKey = Extract<ClaimState, { readonly status: 'claimed' }>;

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
  async claim(scope: AccessScope, cause: Cause, key: string, fingerprint: string): Promise<ClaimedKey> {
    const stream = idempotencyStream(scope.organization, key);
    const claim = await this.documents.claims.change(scope, stream, cause, (state) =>
      state.status === 'free' || this.clock.now() - state.at > IDEMPOTENCY_MS
        ? ok(decideClaim(newId(), fingerprint))
        : ok([]),
    );
    if (!claim.ok || claim.value.status === 'free') throw new Error('an idempotency key could not be claimed');
    return claim.value;
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
