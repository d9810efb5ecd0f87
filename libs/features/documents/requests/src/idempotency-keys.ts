import { Inject, Injectable } from '@nestjs/common';
import { type Claimed, DocumentRepository, idempotencyStream } from '#features/documents';
import { type AccessScope, CLOCK, type Clock, err, newId, ok, type Result } from '#platform/kernel';
import type { Loaded } from '#ports/event-store';
import type { Stage } from '#read-side/views';
import type { AcceptedContent } from './accepted-document.ts';
import { KeyedRequest, type KeyRequest } from './keyed-request.ts';

/** How long an Idempotency-Key is remembered. */
const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

/** How a request for one document is carried out once. */
export interface Once<Refusal> {
  /** Why the request cannot be carried out now, or null. Asked before the key is claimed, so that a refusal changes nothing. */
  refusal(): Promise<Refusal | null>;
  carryOut(request: KeyedRequest): Promise<Result<AcceptedContent, Refusal>>;
}

/** The Idempotency-Keys of requests: what the first request with each of them was, and what it was answered. */
@Injectable()
export class IdempotencyKeys {
  constructor(
    private readonly documents: DocumentRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Carries out the first request with a key, of those within 24 hours. The same request again gets the answer of the first,
   * whatever has happened to the document since.
   */
  async once<Refusal>(
    request: KeyRequest,
    { refusal, carryOut }: Once<Refusal>,
  ): Promise<Result<AcceptedContent, Refusal | 'forbidden' | 'idempotency_key_reused'>> {
    const opened = await this.open(request, refusal);
    if (!opened.ok) return opened;
    const keyed = opened.value;
    if (!keyed.isRepeated) return carryOut(keyed);
    const answer = await this.#answerOf(request.scope, keyed);
    if (!answer.ok) return answer;
    if (keyed.fingerprint !== request.fingerprint) return err('idempotency_key_reused');
    if (answer.value !== null) return ok(answer.value);
    const refused = await refusal();
    return refused === null ? carryOut(keyed) : err(refused);
  }

  /**
   * Returns the request that has the key, or claims the key for this one.
   * @param refusal as of `Once`; not asked if another request has the key
   */
  async open<Refusal>(
    request: KeyRequest,
    refusal: () => Promise<Refusal | null>,
  ): Promise<Result<KeyedRequest, Refusal>> {
    const stream = idempotencyStream(request.scope.organization, request.key);
    const { state, revision } = await this.documents.claims.open(stream);
    if (state.status === 'claimed' && !this.#hasExpired(state)) {
      return ok(this.#keyed(request, { state, revision }, true));
    }
    const refused = await refusal();
    if (refused !== null) return err(refused);
    const claim = { documentId: newId(), fingerprint: request.fingerprint };
    const isVacant = (claimed: Claimed) => this.#hasExpired(claimed);
    const options = { isNew: revision === 'no-stream' };
    const taken = await this.documents.claims.take(request.scope, stream, request.cause, claim, isVacant, options);
    return ok(this.#keyed(request, taken, taken.state.documentId !== claim.documentId));
  }

  /** What the request was answered; null: it was not answered yet. A caller has to be permitted to see the document. */
  async #answerOf(
    scope: AccessScope,
    { id, answer }: KeyedRequest,
  ): Promise<Result<AcceptedContent | null, 'forbidden'>> {
    const [item] = answer ?? [];
    const documentId = item?.documentId ?? id;
    const known = await this.documents.load(scope, documentId);
    if (known.status === 'forbidden') return err('forbidden');
    if (item !== undefined) return ok({ id: documentId, status: item.status as Stage, isNew: documentId === id });
    return ok(known.status === 'absent' ? null : { id, status: 'queued', isNew: true });
  }

  #keyed(request: KeyRequest, claim: Loaded<Claimed>, isRepeated: boolean): KeyedRequest {
    return new KeyedRequest(this.documents, this.clock, request, claim, isRepeated);
  }

  #hasExpired({ at }: Claimed): boolean {
    return this.clock.now() - at > IDEMPOTENCY_MS;
  }
}
