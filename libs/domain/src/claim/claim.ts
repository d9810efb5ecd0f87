import { err, ok, type Result } from '#kernel';
import type { Decided, Happened } from '../happened.ts';

/**
 * Who owns a name (a customId, an Idempotency-Key): the stream `customid-<hash>` or `idempotency-<hash>`. Claimed before
 * the document is added, naming the id that the document will have, so that two simultaneous requests make one document.
 */
export type ClaimState =
  | { readonly status: 'free' }
  | {
      readonly status: 'claimed';
      readonly documentId: string;
      readonly fingerprint: string | null;
      readonly at: number;
    };

export const initialClaim: ClaimState = { status: 'free' };

export function evolveClaim(state: ClaimState, { envelope, payload }: Happened): ClaimState {
  switch (envelope.type) {
    case 'NameClaimed': {
      const { documentId, fingerprint } = payload as { documentId: string; fingerprint: string | null };
      return { status: 'claimed', documentId, fingerprint, at: Date.parse(envelope.at) };
    }
    case 'NameReleased': {
      const { documentId } = payload as { documentId: string };
      // Only the document that owns the name can give it back; it may have been taken over since.
      return state.status === 'claimed' && state.documentId === documentId ? initialClaim : state;
    }
    default:
      return state;
  }
}

/**
 * @param fingerprint of the request, which nobody can compute from the files alone, where only the same request may use the name again; null otherwise
 */
export function decideClaim(documentId: string, fingerprint: string | null): readonly Decided[] {
  return [{ type: 'NameClaimed', payload: { documentId, fingerprint } }];
}

export function decideRelease(state: ClaimState, documentId: string): Result<readonly Decided[], 'not_owner'> {
  if (state.status === 'free' || state.documentId !== documentId) return err('not_owner');
  return ok([{ type: 'NameReleased', payload: { documentId } }]);
}
