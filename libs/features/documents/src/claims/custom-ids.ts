import { setTimeout as pause } from 'node:timers/promises';
import { type AccessScope, haveSameTags, mnemeError, type OrganizationId, ok, type Scope } from '#platform/kernel';
import {
  type Cause,
  type CommandHandler,
  ConcurrencyExhaustedError,
  type Loaded,
  type Recording,
  type StreamChange,
} from '#ports/event-store';
import { lossIn } from '../content-loss/loss.ts';
import { accessRefusal } from '../document-change.ts';
import { DOCUMENT } from '../model.ts';
import type { DocumentState, Live } from '../state.ts';
import { customIdInTagsStream, customIdStream, documentStream } from '../streams.ts';
import { type ClaimState, decideClaim, decideRelease, decideShare, standingOf } from './claim.ts';
import { CLAIM, type ClaimRepository, claimChange } from './claim-repository.ts';

/** A customId in an exact set of tags, which names at most one document. */
export interface NameInTags {
  readonly customId: string;
  /** At least one, in any order. */
  readonly tags: readonly string[];
}

/**
 * Whom a name belongs to. `taken`: a live document has it; `claims` are recorded with the next change of it. `promised`: it
 * was claimed for a document that does not exist yet; `claims` take it over, null if that document may still be about to be
 * added. `reserved`: a document is being given the customId, or is losing it. `free`: a document that records `claims` has it;
 * `isShared`: others may have the customId with other tags.
 */
export type Place =
  | { readonly kind: 'taken'; readonly id: string; readonly claims: readonly StreamChange[] }
  | { readonly kind: 'promised'; readonly id: string; readonly claims: readonly StreamChange[] | null }
  | { readonly kind: 'reserved' }
  | { readonly kind: 'free'; readonly claims: readonly StreamChange[]; readonly isShared: boolean };

/** Finds the documents with a customId that carry one of the tags of the scope. Returns their ids, the oldest first. */
export type FindNamed = (scope: Scope, customId: string) => Promise<readonly string[]>;

/** Several documents that the caller may see have the customId. The details are their ids and tags. */
export class AmbiguousCustomIdError extends mnemeError(undefined, 'ambiguous_custom_id') {}

export type SettledPlace = Exclude<Place, { readonly kind: 'reserved' }>;

/** A change is recorded at one moment, for one cause. */
export type Moment = Pick<Recording, 'cause' | 'now'>;

/** A name that a document asks for. */
interface Search {
  readonly organization: OrganizationId;
  readonly name: NameInTags;
  /** Of the document. */
  readonly id: string;
  readonly moment: Moment;
}

/** How often a customId is looked up that is being given to another document, and the pause between two. */
const MAX_LOOKS = 20;
const RENAME_TAKES_MS = 25;
/** Documents with one customId that an error names. */
const MOST_NAMED = 10;

/**
 * Which documents have a customId. The first document claims it for itself. While no other one has claimed it, the claim names
 * the only document, whatever its tags are. From the second one on it is shared: each further claim is for a set of tags, and
 * the views know the documents.
 */
export class CustomIds {
  readonly #handler: CommandHandler;
  readonly #claims: ClaimRepository;
  readonly #find: FindNamed;

  constructor(handler: CommandHandler, claims: ClaimRepository, find: FindNamed) {
    this.#handler = handler;
    this.#claims = claims;
    this.#find = find;
  }

  /**
   * Finds out whom a name belongs to.
   * @param id of the document that asks for it. What it has itself is free
   */
  async place({ organization }: Scope, name: NameInTags, id: string, moment: Moment): Promise<Place> {
    const search = { organization, name, id, moment };
    const stream = customIdStream(organization, name.customId);
    const first = await this.#handler.load(stream, CLAIM);
    const { state } = first;
    if (state.isShared) return this.#placeAmongSeveral(search, state);
    const claims = [claimChange({ organization }, stream, first, decideClaim(id, null), moment)];
    if (state.status === 'free') return { kind: 'free', claims, isShared: false };
    const owner = await this.#load(organization, state.documentId);
    if (state.documentId === id) {
      const isRenamed = owner.status === 'live' && owner.customId !== name.customId;
      return { kind: 'free', claims: isRenamed ? claims : [], isShared: false };
    }
    if (hasName(owner, name)) return { kind: 'taken', id: state.documentId, claims: [] };
    switch (standingOf(state, owner, name.customId, moment.now)) {
      case 'vacant':
        return owner.status === 'absent'
          ? { kind: 'promised', id: state.documentId, claims }
          : { kind: 'free', claims, isShared: false };
      case 'reserved':
        return owner.status === 'absent'
          ? { kind: 'promised', id: state.documentId, claims: null }
          : { kind: 'reserved' };
      case 'held':
        return this.#placeBeside(search, claimChange({ organization }, stream, first, decideShare(), moment));
    }
  }

  /** Of a customId that one document has, with other tags. @param share recorded with the claim of the second one */
  async #placeBeside(search: Search, share: StreamChange): Promise<Place> {
    const { organization, name, id } = search;
    const claimed = await this.#handler.load(customIdInTagsStream(organization, name), CLAIM);
    return { kind: 'free', claims: [share, claimInTags(search, claimed, id)], isShared: true };
  }

  /** Of a customId that several documents have claimed. @param first the claim of the first one */
  async #placeAmongSeveral(search: Search, first: ClaimState): Promise<Place> {
    const { organization, name, id } = search;
    const claimed = await this.#handler.load(customIdInTagsStream(organization, name), CLAIM);
    for (const state of [first, claimed.state]) {
      if (state.status === 'free' || state.documentId === id) continue;
      const owner = await this.#load(organization, state.documentId);
      if (hasName(owner, name)) return { kind: 'taken', id: state.documentId, claims: [] };
      if (owner.status === 'absent' && state === claimed.state) {
        const isVacant = standingOf(state, owner, name.customId, search.moment.now) === 'vacant';
        const claims = isVacant ? [claimInTags(search, claimed, id)] : null;
        return { kind: 'promised', id: state.documentId, claims };
      }
    }
    // Documents that came to these tags by an update, or by a merge or deletion of a tag, have no claim.
    for (const other of await this.#find({ organization, tags: name.tags }, name.customId)) {
      if (other !== id && hasName(await this.#load(organization, other), name))
        return { kind: 'taken', id: other, claims: [claimInTags(search, claimed, other)] };
    }
    return { kind: 'free', claims: [claimInTags(search, claimed, id)], isShared: true };
  }

  /**
   * As `place`, once a document that is being given the customId, or is losing it, has done so.
   * @throws ConcurrencyExhaustedError
   */
  async settledPlace(scope: Scope, name: NameInTags, id: string, moment: Moment): Promise<SettledPlace> {
    for (let look = 1; look <= MAX_LOOKS; look += 1) {
      const place = await this.place(scope, name, id, moment);
      if (place.kind !== 'reserved') return place;
      await pause(RENAME_TAKES_MS);
    }
    throw new ConcurrencyExhaustedError('The customId is being given to another document, or taken from one');
  }

  /** Records the claims of a place. Returns false if another request was faster. */
  async claim(claims: readonly StreamChange[]): Promise<boolean> {
    if (claims.length === 0) return true;
    const [result] = await this.#handler.commit([claims]);
    if (result?.ok === false && result.error !== null) throw result.error;
    return result?.ok ?? false;
  }

  /** Returns the live documents with a customId that the scope permits, the oldest first, at most ten. */
  async permitted(scope: AccessScope, customId: string): Promise<readonly Live[]> {
    const { organization } = scope;
    const { state } = await this.#handler.load(customIdStream(organization, customId), CLAIM);
    const first = state.status === 'claimed' ? [state.documentId] : [];
    const found: Live[] = [];
    for (const id of state.isShared ? await this.#find(scope, customId) : first) {
      const document = await this.#readable(organization, id);
      if (document?.status !== 'live' || document.customId !== customId || document.memory !== null) continue;
      if (accessRefusal(scope, document.tags, false) === null) found.push(document);
      if (found.length === MOST_NAMED) break;
    }
    return found;
  }

  /**
   * Returns the id of the document that a customId addresses; null: none. Of a customId that one document has claimed, its id,
   * whatever has become of the document.
   * @throws AmbiguousCustomIdError
   */
  async addressed(scope: AccessScope, customId: string): Promise<string | null> {
    const { state } = await this.#handler.load(customIdStream(scope.organization, customId), CLAIM);
    if (!state.isShared) return state.status === 'claimed' ? state.documentId : null;
    const found = await this.permitted(scope, customId);
    const [first, second] = found;
    if (first === undefined || second === undefined) return first?.id ?? null;
    const { picked = [] } = scope;
    const exact = found.filter(({ tags }) => haveSameTags(tags, picked));
    if (exact.length === 1) return exact[0]?.id ?? null;
    throw new AmbiguousCustomIdError('Several documents have this customId', {
      details: found.map(({ id, tags }) => ({ id, tags })),
    });
  }

  /**
   * Has the next add ask the views for the oldest of the documents with a customId and the same tags, after one of them has
   * come to these tags.
   */
  async reopen({ organization }: Scope, name: NameInTags, cause: Cause): Promise<void> {
    const first = customIdStream(organization, name.customId);
    if (!(await this.#claims.load(first)).isShared) return;
    for (const stream of [first, customIdInTagsStream(organization, name)]) {
      await this.#claims.change({ organization }, stream, cause, (state) =>
        state.status === 'free' ? ok([]) : decideRelease(state, state.documentId),
      );
    }
  }

  async #load(organization: string, id: string): Promise<DocumentState> {
    return (await this.#handler.load(documentStream(organization, id), DOCUMENT)).state;
  }

  /** Null: the document is lost. Only its own id addresses it. */
  async #readable(organization: string, id: string): Promise<DocumentState | null> {
    try {
      return await this.#load(organization, id);
    } catch (error) {
      if (lossIn(error) === null) throw error;
      return null;
    }
  }
}

const hasName = (document: DocumentState, { customId, tags }: NameInTags): boolean =>
  document.status === 'live' && document.customId === customId && haveSameTags(document.tags, tags);

/** @param claimed the present claim for the set of tags */
const claimInTags = ({ organization, name, moment }: Search, claimed: Loaded<ClaimState>, id: string): StreamChange =>
  claimChange({ organization }, customIdInTagsStream(organization, name), claimed, decideClaim(id, null), moment);
