import {
  type CommandHandler,
  ConcurrencyExhaustedError,
  type Loaded,
  type NewEvent,
  type Recording,
  record,
  type StreamChange,
} from '#event-store';
import { type AccessScope, err, ok, permits, type Result, type Scope } from '#kernel';
import { CLAIM_EVENTS, decideClaim, isAbandoned } from './claims/claim.ts';
import { CLAIM } from './claims/claim-repository.ts';
import { DOCUMENT_EVENTS, type DocumentEvent } from './events.ts';
import { DOCUMENT, foldDocument } from './model.ts';
import { type DocumentState, initialState } from './state.ts';
import { customIdStream, documentStream } from './streams.ts';

const NEW: Loaded<DocumentState> = { state: initialState, revision: 'no-stream' };

const RENAMED = 'The customId is being given to another document, or taken from one';

/** What a command has decided about one document so far. Nothing is recorded until it is committed. */
export class Draft {
  readonly id: string;
  readonly from: Loaded<DocumentState>;
  /** Of the customId; null: none, or the document has it already. */
  readonly claim: StreamChange | null;
  readonly #events: NewEvent[] = [];
  #state: DocumentState;

  constructor(id: string, from: Loaded<DocumentState>, claim: StreamChange | null) {
    this.id = id;
    this.from = from;
    this.claim = claim;
    this.#state = from.state;
  }

  /** Where the decided events lead. */
  get state(): DocumentState {
    return this.#state;
  }

  get events(): readonly NewEvent[] {
    return this.#events;
  }

  get isNew(): boolean {
    return this.from.state.status === 'absent';
  }

  /** @param recording its tags are those of the document from the first of these events on */
  add(events: readonly DocumentEvent[], recording: Recording): void {
    const recorded = record(DOCUMENT_EVENTS, events, recording);
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
  async named(
    scope: AccessScope,
    customId: string,
    id: string,
    { cause, now }: Pick<Recording, 'cause' | 'now'>,
  ): Promise<Result<Draft, 'forbidden'>> {
    const { organization } = scope;
    const stream = customIdStream(organization, customId);
    const claimed = await this.#handler.load(stream, CLAIM);
    if (claimed.state.status === 'claimed') {
      const { documentId } = claimed.state;
      const draft = await this.known(scope, documentId);
      if (!draft.ok) return draft;
      const { state } = draft.value;
      const isRenamed = state.status === 'live' && state.customId !== customId;
      // An absent document is one that was claimed for, and not added because the process ended; this draft adds it.
      if (!isRenamed && state.status !== 'deleted') return draft;
      if (isRenamed && !isAbandoned(claimed.state, now)) throw new ConcurrencyExhaustedError(RENAMED);
    }
    const events = record(CLAIM_EVENTS, decideClaim(id, null), { organization, cause, tags: [], now });
    return ok(new Draft(id, NEW, { stream, model: CLAIM, from: claimed, events }));
  }

  /** A draft of the document with an id, whether it exists or not. */
  async known({ organization, ...scope }: AccessScope, id: string): Promise<Result<Draft, 'forbidden'>> {
    const from = await this.#handler.load(documentStream(organization, id), DOCUMENT);
    const { state } = from;
    if (state.status !== 'absent' && !permits({ organization, ...scope }, state.tags)) return err('forbidden');
    return ok(new Draft(id, from, null));
  }

  /** A draft of a document without a customId, whose id is new. */
  unnamed(id: string): Draft {
    return new Draft(id, NEW, null);
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
    const changed = drafts.filter(({ events }) => events.length > 0);
    const results = await this.#handler.commit(changed.map((draft) => chainOf(scope, draft)));
    const outcomes = new Map(changed.map((draft, i) => [draft, results[i]]));
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

function chainOf({ organization }: Scope, { id, from, claim, events }: Draft): readonly StreamChange[] {
  const change: StreamChange = { stream: documentStream(organization, id), model: DOCUMENT, from, events };
  return claim === null ? [change] : [claim, change];
}
