import { foldWith, ok, type Result, readEvent, type Scope } from '#platform/kernel';
import {
  type Cause,
  type CommandHandler,
  type Loaded,
  type Model,
  type Recording,
  record,
  type StreamChange,
} from '#ports/event-store';
import {
  CLAIM_EVENTS,
  type ClaimEvent,
  type Claimed,
  type ClaimState,
  decideClaim,
  evolveClaim,
  initialClaim,
} from './claim.ts';

export const CLAIM: Model<ClaimState> = {
  name: 'claim',
  version: 4,
  initialState: initialClaim,
  evolve: foldWith(CLAIM_EVENTS, evolveClaim),
};

/** The change of a claim as it was loaded, to be recorded together with that of its document. */
export const claimChange = (
  { organization }: Pick<Scope, 'organization'>,
  stream: string,
  from: Loaded<ClaimState>,
  events: readonly ClaimEvent[],
  moment: Pick<Recording, 'cause' | 'now'>,
): StreamChange => ({
  ...{ stream, model: CLAIM, from },
  events: record(CLAIM_EVENTS, events, { ...moment, organization, tags: [] }),
});

/** The names that documents claim. They are not bound to tags: callers check the document that owns the name. */
export class ClaimRepository {
  readonly #handler: CommandHandler;

  constructor(handler: CommandHandler) {
    this.#handler = handler;
  }

  async load(stream: string): Promise<ClaimState> {
    return (await this.open(stream)).state;
  }

  /** With the revision, for a change that is recorded together with others. */
  open(stream: string): Promise<Loaded<ClaimState>> {
    return this.#handler.load(stream, CLAIM);
  }

  /** Ids of all documents that have ever claimed a name, the newest first. */
  async ownersOf(stream: string): Promise<readonly string[]> {
    const { events } = await this.#handler.read(stream);
    const ids = events.flatMap((stored) => {
      const event = readEvent(CLAIM_EVENTS, stored);
      return event?.type === 'NameClaimed' ? event.payload.documentId : [];
    });
    return [...new Set(ids.reverse())];
  }

  async change<E>(
    { organization }: Pick<Scope, 'organization'>,
    stream: string,
    cause: Cause,
    decide: (state: ClaimState) => Result<readonly ClaimEvent[], E>,
    options: { readonly isNew?: boolean } = {},
  ): Promise<Result<Loaded<ClaimState>, E>> {
    return this.#handler.execute({
      ...{ stream, model: CLAIM, ...options },
      decide: (state, _revision, now) => {
        const decided = decide(state);
        return decided.ok ? ok(record(CLAIM_EVENTS, decided.value, { organization, cause, tags: [], now })) : decided;
      },
    });
  }

  /**
   * Claims a name that is free or vacant.
   * @param claim as `decideClaim` takes it
   * @param options.isNew the name is assumed never to have been claimed, and not read first
   * @returns this claim, or the existing one if the name is taken
   */
  async take(
    scope: Pick<Scope, 'organization'>,
    stream: string,
    cause: Cause,
    { documentId, fingerprint }: Pick<Claimed, 'documentId' | 'fingerprint'>,
    isVacant: (state: Claimed) => boolean,
    options: { readonly isNew?: boolean } = {},
  ): Promise<Loaded<Claimed>> {
    const claim = (state: ClaimState) =>
      ok(state.status === 'free' || isVacant(state) ? decideClaim(documentId, fingerprint) : []);
    const taken = await this.change(scope, stream, cause, claim, options);
    if (!taken.ok) throw new Error('a name could not be claimed');
    const { state, revision } = taken.value;
    if (state.status === 'free') throw new Error('a name could not be claimed');
    return { state, revision };
  }
}
