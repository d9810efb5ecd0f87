import { setTimeout as pause } from 'node:timers/promises';
import {
  type CommandHandler,
  ConcurrencyExhaustedError,
  type Loaded,
  type NewEvent,
  type Recording,
  type StreamChange,
} from '#event-store';
import { type AccessScope, err, hasCode, ok, permits, type Result, type Scope } from '#kernel';
import { decideClaim, decideRelease, standingOf } from './claims/claim.ts';
import { CLAIM, claimChange } from './claims/claim-repository.ts';
import { type DocumentEvent, opensMemory } from './events.ts';
import { DOCUMENT, foldDocument } from './model.ts';
import { isMemoryState, recordEvents } from './recording.ts';
import { type DocumentState, initialState } from './state.ts';
import { customIdStream, documentStream } from './streams.ts';

const NEW: Loaded<DocumentState> = { state: initialState, revision: 'no-stream' };

/** How often a customId is looked up that is being given to another document, and the pause between two. */
const MAX_LOOKS = 20;
const RENAME_TAKES_MS = 25;

/** A change is recorded at one moment, for one cause. */
type Moment = Pick<Recording, 'cause' | 'now'>;

/** What a command has decided about one document so far. Nothing is recorded until it is committed. */
export class Draft {
  readonly id: string;
  readonly from: Loaded<DocumentState>;
  /** Of the customId; null: none, or the document has it already. */
  readonly claim: StreamChange | null;
  /** Of the customId that the document had; null: none, or it stays. */
  readonly release: StreamChange | null;
  #receipt: StreamChange | null = null;
  readonly #events: NewEvent[] = [];
  #state: DocumentState;

  constructor(
    id: string,
    from: Loaded<DocumentState>,
    claim: StreamChange | null = null,
    release: StreamChange | null = null,
  ) {
    this.id = id;
    this.from = from;
    this.claim = claim;
    this.release = release;
    this.#state = from.state;
  }

  /** Where the decided events lead. */
  get state(): DocumentState {
    return this.#state;
  }

  get events(): readonly NewEvent[] {
    return this.#events;
  }

  /** Of the document's stream after the draft. */
  get revision(): number {
    return (this.from.revision === 'no-stream' ? -1 : this.from.revision) + this.#events.length;
  }

  /** What the request is answered, recorded after everything else of the draft. Null: nothing to remember. */
  get receipt(): StreamChange | null {
    return this.#receipt;
  }

  get isNew(): boolean {
    return this.from.state.status === 'absent';
  }

  /** A draft without events is recorded too if its request is to be remembered. */
  remember(receipt: StreamChange): void {
    this.#receipt = receipt;
  }

  /** @param recording its tags are those of the document from the first of these events on */
  add(events: readonly DocumentEvent[], recording: Recording): void {
    const isMemory = isMemoryState(this.#state) || opensMemory(events[0]?.type);
    const recorded = recordEvents(events, { ...recording, isMemory });
    this.#events.push(...recorded);
    this.#state = recorded.reduce(foldDocument, this.#state);
  }
}

/**
 * What became of a draft. `conflict`: the document or its customId was changed since it was loaded. `prevented`: by the
 * conflict of another draft. `forbidden`: the scope has no tag of the document.
 */
export type Drafted = 'recorded' | 'conflict' | 'prevented' | 'forbidden' | { readonly error: unknown };

/** Changes of several documents and the customIds that they claim, recorded together. */
export class JointChanges {
  readonly #handler: CommandHandler;

  constructor(handler: CommandHandler) {
    this.#handler = handler;
  }

  /** Runs work after the earlier work of this process on any of the customIds. It must not claim them in another way. */
  inTurn<T>({ organization }: Scope, customIds: readonly string[], work: () => Promise<T>): Promise<T> {
    const streams = new Set(customIds.map((customId) => customIdStream(organization, customId)));
    return this.#handler.inTurn([...streams], work);
  }

  /** A draft of the document that has the customId, or of a new one that claims it. @param id of a new document */
  async named(scope: AccessScope, customId: string, id: string, moment: Moment): Promise<Result<Draft, 'forbidden'>> {
    const stream = customIdStream(scope.organization, customId);
    for (let look = 1; look <= MAX_LOOKS; look += 1) {
      const claimed = await this.#handler.load(stream, CLAIM);
      if (claimed.state.status === 'claimed') {
        const owner = await this.known(scope, claimed.state.documentId);
        if (!owner.ok) return owner;
        const { state } = owner.value;
        const standing = standingOf(claimed.state, state, customId, moment.now);
        // An absent document is one that was claimed for, and not added because the process ended; this draft adds it.
        if (standing === 'held' || state.status === 'absent') return owner;
        if (standing === 'reserved') {
          await pause(RENAME_TAKES_MS);
          continue;
        }
      }
      return ok(new Draft(id, NEW, claimChange(scope, stream, claimed, decideClaim(id, null), moment)));
    }
    throw new ConcurrencyExhaustedError('The customId is being given to another document, or taken from one');
  }

  /**
   * A draft of an existing document that claims another customId and releases its present one.
   * `custom_id_taken`: another document has the name, or is about to get it.
   */
  async renamed(
    scope: AccessScope,
    id: string,
    customId: string,
    moment: Moment,
  ): Promise<Result<Draft, 'forbidden' | 'custom_id_taken'>> {
    const known = await this.known(scope, id);
    if (!known.ok) return known;
    const { from } = known.value;
    if (from.state.status !== 'live' || from.state.customId === customId) return known;
    const { organization } = scope;
    const stream = customIdStream(organization, customId);
    const claimed = await this.#handler.load(stream, CLAIM);
    if (claimed.state.status === 'claimed' && claimed.state.documentId !== id) {
      // The owner may be outside the caller's tags.
      const owner = await this.#handler.load(documentStream(organization, claimed.state.documentId), DOCUMENT);
      if (standingOf(claimed.state, owner.state, customId, moment.now) !== 'vacant') return err('custom_id_taken');
    }
    // Also recorded if the document has claimed the name before: a release by another process conflicts with it then.
    const claim = claimChange(scope, stream, claimed, decideClaim(id, null), moment);
    return ok(new Draft(id, from, claim, await this.#releaseOf(scope, id, from.state.customId, moment)));
  }

  /**
   * After the document has another name. Not if the name was claimed in between: the document has got it again. Optional,
   * as where the process ends before it: a name that its document does not have is taken over after a minute.
   */
  async #release({ stream, from, events }: StreamChange): Promise<void> {
    try {
      if (from.revision !== 'no-stream') await this.#handler.record(stream, () => events, { expected: from.revision });
    } catch (error) {
      if (!hasCode(error, 'no_space')) throw error;
    }
  }

  async #releaseOf(scope: Scope, id: string, customId: string | null, moment: Moment): Promise<StreamChange | null> {
    if (customId === null) return null;
    const stream = customIdStream(scope.organization, customId);
    const claimed = await this.#handler.load(stream, CLAIM);
    const released = decideRelease(claimed.state, id);
    return released.ok ? claimChange(scope, stream, claimed, released.value, moment) : null;
  }

  /** A draft of the document with an id, whether it exists or not. */
  async known({ organization, ...scope }: AccessScope, id: string): Promise<Result<Draft, 'forbidden'>> {
    const from = await this.#handler.load(documentStream(organization, id), DOCUMENT);
    const { state } = from;
    if (state.status !== 'absent' && !permits({ organization, ...scope }, state.tags)) return err('forbidden');
    return ok(new Draft(id, from));
  }

  /** A draft of a document without a customId, whose id is new. */
  unnamed(id: string): Draft {
    return new Draft(id, NEW);
  }

  /**
   * Records drafts in their order: all or, after a conflict, none where the engine has transactions over streams, otherwise
   * each for itself. Durable when it resolves.
   * @throws as `EventStore.append`, if nothing was recorded
   */
  async commit(scope: AccessScope, drafts: readonly Draft[]): Promise<readonly Drafted[]> {
    if (drafts.some((draft) => !isPermitted(scope, draft))) {
      return drafts.map((draft) => (isPermitted(scope, draft) ? 'prevented' : 'forbidden'));
    }
    const changed = drafts.filter(({ events, receipt }) => events.length > 0 || receipt !== null);
    const results = await this.#handler.commit(changed.map((draft) => chainOf(scope, draft)));
    const outcomes = new Map(changed.map((draft, i) => [draft, results[i]]));
    for (const { release } of changed.filter((_, i) => results[i]?.ok))
      if (release !== null) await this.#release(release);
    return drafts.map((draft) => {
      const result = outcomes.get(draft);
      if (result === undefined || result.ok) return 'recorded';
      if (result.error !== null) return { error: result.error };
      return result.conflict === null ? 'prevented' : 'conflict';
    });
  }
}

const isPermitted = (scope: AccessScope, { from, events }: Draft): boolean =>
  from.state.status === 'absent'
    ? events.every(({ envelope }) => permits(scope, envelope.tags))
    : permits(scope, from.state.tags);

function chainOf({ organization }: Scope, { id, from, claim, events, receipt }: Draft): readonly StreamChange[] {
  const change: StreamChange = { stream: documentStream(organization, id), model: DOCUMENT, from, events };
  const changes = events.length === 0 ? [] : claim === null ? [change] : [claim, change];
  return receipt === null ? changes : [...changes, receipt];
}
