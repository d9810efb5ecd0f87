import {
  type ClaimState,
  type Decided,
  type DocumentState,
  decideLoss,
  evolve,
  evolveClaim,
  gaveUp,
  initialClaim,
  initialState,
  STATE_VERSION,
} from '#domain';
import type { CommandHandler, Model, Position, RecordedEvent } from '#event-store';
import { err, newId, type OrganizationId, ok, type Result } from '#kernel';
import { lossFailure, lossIn, tellsOfLoss } from './loss.ts';
import { type Cause, record, SYSTEM } from './recording.ts';
import { customIdStream, documentStream } from './streams.ts';

const DOCUMENT: Model<DocumentState> = { name: 'document', version: STATE_VERSION, initialState, evolve };
const CLAIM: Model<ClaimState> = { name: 'claim', version: 1, initialState: initialClaim, evolve: evolveClaim };

const INTERNAL_ID = /^[A-Za-z0-9]{22}$/;

/** What a change of a document left behind. */
export interface Changed {
  readonly state: DocumentState;
  /** Place of the last event; null: there was nothing to record. */
  readonly position: Position | null;
}

/** Decisions that change the tags say what they are from then on. */
export type Decisions = readonly Decided[] | { readonly events: readonly Decided[]; readonly tags: readonly string[] };

/** A document that cannot be read, and what is still known of it. */
export interface Lost {
  readonly id: string;
  /** At least one, without payloads. */
  readonly events: readonly RecordedEvent[];
}

/** Documents and the names that they claim, loaded and changed through their streams. */
export class DocumentRepository {
  readonly #handler: CommandHandler;

  constructor(handler: CommandHandler) {
    this.#handler = handler;
  }

  async load(organization: string, id: string): Promise<DocumentState> {
    return (await this.#handler.load(documentStream(organization, id), DOCUMENT)).state;
  }

  /** The state as this process knows it; for work whose result is checked when it is appended. */
  async peek(organization: string, id: string): Promise<DocumentState> {
    return (await this.#handler.load(documentStream(organization, id), DOCUMENT, { mayBeStale: true })).state;
  }

  /** Starts a document's stream. `exists`: there is one under this id already. */
  async create(
    id: string,
    cause: Cause,
    decided: readonly Decided[],
    tags: readonly string[],
  ): Promise<Result<Changed, 'exists'>> {
    return this.#handler.execute({
      stream: documentStream(cause.organization, id),
      model: DOCUMENT,
      isNew: true,
      decide: (state, _revision, now) =>
        state.status === 'absent' ? ok(record(decided, cause, tags, now)) : err('exists'),
    });
  }

  /**
   * @param options.erase removes everything the stream holds of content, in the same transaction
   */
  async change<E>(
    id: string,
    cause: Cause,
    decide: (state: DocumentState) => Result<Decisions, E>,
    options: { readonly erase?: boolean } = {},
  ): Promise<Result<Changed, E>> {
    return this.#handler.execute({
      stream: documentStream(cause.organization, id),
      model: DOCUMENT,
      decide: (state, _revision, now) => {
        const decided = decide(state);
        if (!decided.ok) return decided;
        const { events, tags } =
          'events' in decided.value
            ? decided.value
            : { events: decided.value, tags: state.status === 'live' ? state.tags : [] };
        const recorded = record(events, cause, tags, now);
        return ok(options.erase && recorded.length > 0 ? { events: recorded, erase: true as const } : recorded);
      },
    });
  }

  /**
   * Records what follows from a document as the caller has seen it at a revision, so that it need not be read here.
   * @returns false: it has changed since, or is known here anyway; nothing is recorded
   */
  async changeAsSeen(
    id: string,
    cause: Cause,
    seen: { readonly revision: number; readonly tags: readonly string[] },
    decided: readonly Decided[],
  ): Promise<boolean> {
    const stream = documentStream(cause.organization, id);
    if (this.#handler.holds(stream, DOCUMENT)) return false;
    const eventsAt = (now: number) => record(decided, cause, seen.tags, now);
    return (await this.#handler.record(stream, eventsAt, { expected: seen.revision })) !== null;
  }

  /**
   * Records that a version of a document, done or not, has lost what it consists of: it ends as failed, and is processed
   * once more when somebody has it retried. Also where the stream cannot be read for want of its key.
   * @param reason as of `lossIn`; shown to callers
   */
  async recordLoss(organization: OrganizationId, id: string, contentVersion: number, reason: string): Promise<void> {
    const cause: Cause = { organization, actor: SYSTEM, correlationId: newId(), causationId: null };
    const failure = lossFailure(reason);
    try {
      await this.change(id, cause, (state) => decideLoss(state, contentVersion, failure));
    } catch (error) {
      if (lossIn(error) === null) throw error;
      const stream = documentStream(organization, id);
      const last = (await this.#handler.read(stream)).events.at(-1)?.envelope;
      if (last === undefined || tellsOfLoss(last)) return;
      const decided = gaveUp(contentVersion, 'indexing', failure);
      await this.#handler.record(stream, (now) => record(decided, cause, last.tags, now));
    }
  }

  /**
   * A live document that cannot be read for want of its key, by internal id, else by customId: its id and the envelopes of
   * what happened to it. Null: there is none, or it is deleted.
   */
  async lost(organization: OrganizationId, idOrCustomId: string): Promise<Lost | null> {
    for await (const id of this.#idsOf(organization, idOrCustomId)) {
      const events = await this.#events(organization, id);
      const last = events.at(-1);
      if (last !== undefined && last.envelope.type !== 'DocumentDeleted') return { id, events };
    }
    return null;
  }

  /** Erases one of these. @returns the place of its deletion; null: its stream is not there */
  async deleteLost({ id, events }: Lost, cause: Cause): Promise<Position | null> {
    const deleted: Decided = { type: 'DocumentDeleted', payload: null };
    const stream = documentStream(cause.organization, id);
    const tags = events.at(-1)?.envelope.tags ?? [];
    return this.#handler.record(stream, (now) => record([deleted], cause, tags, now), { erase: true });
  }

  async loadClaim(stream: string): Promise<ClaimState> {
    return (await this.#handler.load(stream, CLAIM)).state;
  }

  async changeClaim<E>(
    stream: string,
    cause: Cause,
    decide: (state: ClaimState) => Result<readonly Decided[], E>,
  ): Promise<Result<ClaimState, E>> {
    const changed = await this.#handler.execute({
      stream,
      model: CLAIM,
      decide: (state, _revision, now) => {
        const decided = decide(state);
        return decided.ok ? ok(record(decided.value, cause, [], now)) : decided;
      },
    });
    return changed.ok ? ok(changed.value.state) : changed;
  }

  /**
   * Envelopes of all that happened to a document, by internal id also after its deletion, else by customId. Null: there was
   * none.
   */
  async events(organization: OrganizationId, idOrCustomId: string): Promise<readonly RecordedEvent[] | null> {
    for await (const id of this.#idsOf(organization, idOrCustomId)) {
      const events = await this.#events(organization, id);
      const isGone = id !== idOrCustomId && events.at(-1)?.envelope.type === 'DocumentDeleted';
      if (events.length > 0 && !isGone) return events;
    }
    return null;
  }

  async #events(organization: string, id: string): Promise<readonly RecordedEvent[]> {
    const { events } = await this.#handler.read(documentStream(organization, id));
    return events.map(({ stream, revision, position, envelope }) => ({
      ...{ stream, revision, position, envelope },
      payload: null,
    }));
  }

  /** A live document by internal id, else by customId. Null: there is none. */
  async find(organization: OrganizationId, idOrCustomId: string): Promise<(DocumentState & { status: 'live' }) | null> {
    for await (const id of this.#idsOf(organization, idOrCustomId)) {
      const state = await this.load(organization, id);
      if (state.status === 'live') return state;
    }
    return null;
  }

  /** What may be the id of the document: the name itself, then that of the document which claims it as its customId. */
  async *#idsOf(organization: OrganizationId, idOrCustomId: string): AsyncGenerator<string> {
    if (INTERNAL_ID.test(idOrCustomId)) yield idOrCustomId;
    const claim = await this.loadClaim(customIdStream(organization, idOrCustomId));
    if (claim.status !== 'free') yield claim.documentId;
  }
}
