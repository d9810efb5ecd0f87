import { type Cause, type CommandHandler, type Model, record } from '#event-store';
import { foldWith, ok, type Result, type Scope } from '#kernel';
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
  version: 2,
  initialState: initialClaim,
  evolve: foldWith(CLAIM_EVENTS, evolveClaim),
};

/** The names that documents claim. They are not bound to tags: callers check the document that owns the name. */
export class ClaimRepository {
  readonly #handler: CommandHandler;

  constructor(handler: CommandHandler) {
    this.#handler = handler;
  }

  async load(stream: string): Promise<ClaimState> {
    return (await this.#handler.load(stream, CLAIM)).state;
  }

  async change<E>(
    { organization }: Pick<Scope, 'organization'>,
    stream: string,
    cause: Cause,
    decide: (state: ClaimState) => Result<readonly ClaimEvent[], E>,
  ): Promise<Result<ClaimState, E>> {
    const changed = await this.#handler.execute({
      stream,
      model: CLAIM,
      decide: (state, _revision, now) => {
        const decided = decide(state);
        return decided.ok ? ok(record(CLAIM_EVENTS, decided.value, { organization, cause, tags: [], now })) : decided;
      },
    });
    return changed.ok ? ok(changed.value.state) : changed;
  }

  /**
   * Claims a name that is free or vacant.
   * @param claim as `decideClaim` takes it
   * @returns this claim, or the existing one if the name is taken
   */
  async take(
    scope: Pick<Scope, 'organization'>,
    stream: string,
    cause: Cause,
    { documentId, fingerprint }: Pick<Claimed, 'documentId' | 'fingerprint'>,
    isVacant: (state: Claimed) => boolean,
  ): Promise<Claimed> {
    const taken = await this.change(scope, stream, cause, (state) =>
      ok(state.status === 'free' || isVacant(state) ? decideClaim(documentId, fingerprint) : []),
    );
    if (!taken.ok || taken.value.status === 'free') throw new Error('a name could not be claimed');
    return taken.value;
  }
}
