import {
  type ErasedEvent,
  type EventCatalogue,
  type EventOf,
  err,
  ok,
  type Recorded,
  type Result,
} from '#platform/kernel';
import type { DocumentState } from '../state.ts';

export type NameClaimed = EventOf<'NameClaimed', { readonly documentId: string; readonly fingerprint: string | null }>;
export type NameReleased = EventOf<'NameReleased', { readonly documentId: string }>;
/**
 * `documentIds`: of the items of the request, in their order; null for an item that was refused. `statuses`: of each
 * document as the request was answered, or why the item was refused. `revisions`: of each document's stream after the request.
 */
export type RequestAnswered = EventOf<
  'RequestAnswered',
  {
    readonly documentIds: readonly (string | null)[];
    readonly statuses: readonly string[];
    readonly revisions: readonly (number | null)[];
  }
>;
/** A second document is about to claim the customId. From now on it is claimed for sets of tags, in streams of their own. */
export type NameShared = EventOf<'NameShared', null>;
export type ClaimEvent = NameClaimed | NameReleased | NameShared | RequestAnswered;

export const CLAIM_EVENTS: EventCatalogue<ClaimEvent> = {
  NameClaimed: { version: 1, payload: true },
  NameReleased: { version: 1, payload: true },
  NameShared: { version: 1, payload: false },
  RequestAnswered: { version: 1, payload: true },
};

/**
 * Who owns a name (a customId, an Idempotency-Key): the stream `customid-<hash>` or `idempotency-<hash>`. Claimed before
 * the document is added, with the id that the document will have, so that two simultaneous requests make one document.
 */
export type ClaimState = ({ readonly status: 'free' } & Shared) | Claimed;

interface Shared {
  /** Several documents have claimed the customId. */
  readonly isShared: boolean;
}

/** What a request was answered for one of its items. */
export interface AnsweredItem {
  /** Null: the item was refused. */
  readonly documentId: string | null;
  /** Of the document, or the refusal. */
  readonly status: string;
  /** Of the document's stream after the request. Null: the item was refused. */
  readonly revision: number | null;
}

export interface Claimed extends Shared {
  readonly status: 'claimed';
  readonly documentId: string;
  readonly fingerprint: string | null;
  /** What the request was answered, by item. Null: not answered yet, or it has added the document that the claim names. */
  readonly answer: readonly AnsweredItem[] | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export const initialClaim: ClaimState = { status: 'free', isShared: false };

export function evolveClaim(state: ClaimState, event: Recorded<ClaimEvent> | ErasedEvent): ClaimState {
  switch (event.type) {
    case 'NameClaimed': {
      const { isShared } = state;
      return { status: 'claimed', ...event.payload, answer: null, at: Date.parse(event.at), isShared };
    }
    case 'NameShared':
      return { ...state, isShared: true };
    case 'NameReleased': {
      // Only the document that owns the name can release it; another one may have claimed it since.
      const isOwner = state.status === 'claimed' && state.documentId === event.payload.documentId;
      return isOwner ? { status: 'free', isShared: state.isShared } : state;
    }
    case 'RequestAnswered':
      return state.status === 'claimed' ? { ...state, answer: itemsOf(event.payload) } : state;
    case 'erased':
      return state;
  }
}

function itemsOf({ documentIds, statuses, revisions }: RequestAnswered['payload']): readonly AnsweredItem[] {
  return documentIds.map((documentId, i) => ({
    documentId,
    status: statuses[i] as string,
    revision: revisions[i] as number | null,
  }));
}

/** The first answer holds: a request with the same key that ran at the same time is answered with it as well. */
export function decideAnswer(state: ClaimState, items: readonly AnsweredItem[]): readonly RequestAnswered[] {
  if (state.status !== 'claimed' || state.answer !== null) return [];
  const payload = {
    documentIds: items.map(({ documentId }) => documentId),
    statuses: items.map(({ status }) => status),
    revisions: items.map(({ revision }) => revision),
  };
  return [{ type: 'RequestAnswered', payload }];
}

/**
 * @param fingerprint of the request, if only the same request may use the name again; it cannot be computed from the files
 *   alone. Null otherwise
 */
export function decideClaim(documentId: string, fingerprint: string | null): readonly [NameClaimed] {
  return [{ type: 'NameClaimed', payload: { documentId, fingerprint } }];
}

export const decideShare = (): readonly [NameShared] => [{ type: 'NameShared', payload: null }];

export function decideRelease(state: ClaimState, documentId: string): Result<readonly [NameReleased], 'not_owner'> {
  if (state.status === 'free' || state.documentId !== documentId) return err('not_owner');
  return ok([{ type: 'NameReleased', payload: { documentId } }]);
}

/** How long a claim may be ahead of its document, or behind it; adds and updates take far less between the two. */
const RECORDING_MS = 60_000;

/**
 * Whether a claim that its document does not confirm is left over: a process ended before it added the document, or while
 * it gave the document another customId.
 * @param now milliseconds since the Unix epoch
 */
const isAbandoned = (claim: Claimed, now: number): boolean => now - claim.at > RECORDING_MS;

/**
 * What the claim of a customId is worth. `held`: its document has the name. `reserved`: the document is about to get the
 * name, or to lose it. `vacant`: another document may claim the name.
 * @param owner the document that the claim names
 * @param now milliseconds since the Unix epoch
 */
export function standingOf(
  claim: Claimed,
  owner: DocumentState,
  customId: string,
  now: number,
): 'held' | 'reserved' | 'vacant' {
  if (owner.status === 'deleted') return 'vacant';
  if (owner.status === 'live' && owner.customId === customId) return 'held';
  return isAbandoned(claim, now) ? 'vacant' : 'reserved';
}
