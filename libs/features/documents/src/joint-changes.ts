import { type AccessScope, err, hasCode, haveSameTags, ok, permits, type Result, type Scope } from '#platform/kernel';
import { type CommandHandler, type Loaded, type NewEvent, type Recording, type StreamChange } from '#ports/event-store';
import { opensMemory } from './catalogue.ts';
import { decideRelease } from './claims/claim.ts';
import { CLAIM, claimChange } from './claims/claim-repository.ts';
import type { CustomIds, Moment, NameInTags, SettledPlace } from './claims/custom-ids.ts';
import type { DocumentEvent } from './events.ts';
import { DOCUMENT, foldDocument } from './model.ts';
import { recordEvents } from './recording.ts';
import { type DocumentState, initialState, isMemoryDocument } from './state.ts';
import { customIdStream, documentStream } from './streams.ts';

const NEW: Loaded<DocumentState> = { state: initialState, revision: 'no-stream' };

/** What a command has decided about one document so far. Nothing is recorded until it is committed. */
export class Draft {
  readonly id: string;
  readonly from: Loaded<DocumentState>;
  /** Of the customId; none: without one, or the document has it already. */
  readonly claims: readonly StreamChange[];
  /** Of the customId that the document had; null: none, or it stays. */
  readonly release: StreamChange | null;
  #receipt: StreamChange | null = null;
  readonly #events: NewEvent[] = [];
  #state: DocumentState;

  constructor(
    id: string,
    from: Loaded<DocumentState>,
    claims: readonly StreamChange[] = [],
    release: StreamChange | null = null,
  ) {
    this.id = id;
    this.from = from;
    this.claims = claims;
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
    const isMemory = isMemoryDocument(this.#state) || opensMemory(events[0]?.type);
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
  readonly #customIds: CustomIds;

  constructor(handler: CommandHandler, customIds: CustomIds) {
    this.#handler = handler;
    this.#customIds = customIds;
  }

  /** Runs work after the earlier work of this process on any of the customIds. It must not claim them in another way. */
  inTurn<T>({ organization }: Scope, customIds: readonly string[], work: () => Promise<T>): Promise<T> {
    const streams = new Set(customIds.map((customId) => customIdStream(organization, customId)));
    return this.#handler.inTurn([...streams], work);
  }

  /**
   * A draft of the document that has a customId in a set of tags, or of a new one that claims it.
   * @param id of a new document
   */
  async named(scope: AccessScope, name: NameInTags, id: string, moment: Moment): Promise<Result<Draft, 'forbidden'>> {
    return this.#draftAt(scope, await this.#customIds.settledPlace(scope, name, id, moment), id);
  }

  /** As `named`, but where no document has the name, a draft of the only one with the customId that the scope permits. */
  async namedInAnyTags(
    scope: AccessScope,
    name: NameInTags,
    id: string,
    moment: Moment,
  ): Promise<Result<Draft, 'forbidden'>> {
    const place = await this.#customIds.settledPlace(scope, name, id, moment);
    const only = place.kind === 'free' && place.isShared ? await this.onlyNamed(scope, name.customId) : null;
    return only ?? this.#draftAt(scope, place, id);
  }

  /** A draft of the only document with a customId that the scope permits. Null: there is none, or several. */
  async onlyNamed(scope: AccessScope, customId: string): Promise<Result<Draft, 'forbidden'> | null> {
    const [only, another] = await this.#customIds.permitted(scope, customId);
    return only === undefined || another !== undefined ? null : this.known(scope, only.id);
  }

  async #draftAt(scope: AccessScope, place: SettledPlace, id: string): Promise<Result<Draft, 'forbidden'>> {
    if (place.kind === 'free') return ok(new Draft(id, NEW, place.claims));
    // A document that was claimed for, and not added because the process ended, is added by this draft.
    return this.known(scope, place.id, place.kind === 'taken' ? place.claims : []);
  }

  /**
   * A draft of an existing document that claims a customId in a set of tags, and releases the one that it has if it is another.
   * `custom_id_taken`: another document has the name, or is about to get it.
   * @param tags of the document from then on. Null: they stay
   */
  async renamed(
    scope: AccessScope,
    id: string,
    { customId, tags }: { readonly customId: string; readonly tags: readonly string[] | null },
    moment: Moment,
  ): Promise<Result<Draft, 'forbidden' | 'custom_id_taken'>> {
    const known = await this.known(scope, id);
    if (!known.ok) return known;
    const { from } = known.value;
    if (from.state.status !== 'live') return known;
    const name = { customId, tags: tags ?? from.state.tags };
    if (from.state.customId === customId && haveSameTags(from.state.tags, name.tags)) return known;
    // Its owner may be outside the caller's tags.
    const place = await this.#customIds.place(scope, name, id, moment);
    const claims = place.kind === 'free' || place.kind === 'promised' ? place.claims : null;
    if (claims === null) return err('custom_id_taken');
    const isRenamed = from.state.customId !== name.customId;
    const release = isRenamed ? await this.#releaseOf(scope, id, from.state.customId, moment) : null;
    return ok(new Draft(id, from, claims, release));
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

  /** A draft of the document with an id, whether it exists or not. @param claims recorded with it */
  async known(
    scope: AccessScope,
    id: string,
    claims: readonly StreamChange[] = [],
  ): Promise<Result<Draft, 'forbidden'>> {
    const from = await this.#handler.load(documentStream(scope.organization, id), DOCUMENT);
    const { state } = from;
    if (state.status !== 'absent' && !permits(scope, state.tags)) return err('forbidden');
    return ok(new Draft(id, from, claims));
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

function chainOf({ organization }: Scope, { id, from, claims, events, receipt }: Draft): readonly StreamChange[] {
  const change: StreamChange = { stream: documentStream(organization, id), model: DOCUMENT, from, events };
  const changes = events.length === 0 ? [] : [...claims, change];
  return receipt === null ? changes : [...changes, receipt];
}
