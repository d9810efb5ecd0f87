import { type AccessScope, err, type JsonObject, ok, permitsEach, type Result, readEvent } from '#platform/kernel';
import {
  type Cause,
  type CommandHandler,
  type Model,
  type Position,
  record,
  SYSTEM,
  systemCause,
} from '#ports/event-store';
import {
  decideConfirmation,
  decideCreation,
  decideDeletion,
  decideEnd,
  decideErasure,
  decideProgress,
  decideRequest,
  decideSetup,
  decideStart,
  type SyncEnd,
} from './decide.ts';
import {
  CONNECTION_EVENTS,
  type ConnectionCreated,
  type ConnectionEvent,
  ITEM_EVENTS,
  type ItemsSynced,
  type SyncTrigger,
} from './events.ts';
import { evolveConnection } from './evolve.ts';
import {
  CONNECTION_VERSION,
  type Connection,
  type ConnectionState,
  initialConnection,
  isConnection,
  type RunningSync,
  type SyncCounts,
} from './state.ts';
import { type ConnectionName, connectionStream, itemsStream } from './streams.ts';

const CONNECTION: Model<ConnectionState> = {
  name: 'connection',
  version: CONNECTION_VERSION,
  initialState: initialConnection,
  evolve: (state, stored) => {
    const event = readEvent(CONNECTION_EVENTS, stored);
    return event === null ? state : evolveConnection(state, event, stored.envelope);
  },
};

/** Nothing is folded: what has become of items is read from the views. */
const ITEMS: Model<null> = { name: 'connectionitems', version: 1, initialState: null, evolve: () => null };

/** Events of a stream of items, after which another one is begun, so that none is long. */
const SEGMENT_EVENTS = 96;

type Changed<Refusal = never> = Result<Connection, Refusal | 'connection_gone'>;

/** The connections to sources. */
export class ConnectionRepository {
  readonly #handler: CommandHandler;

  constructor(handler: CommandHandler) {
    this.#handler = handler;
  }

  /** Null: there is none, or nothing is left of it. */
  async load({ organization, id }: ConnectionName): Promise<Connection | null> {
    const { state } = await this.#handler.load(connectionStream(organization, id), CONNECTION);
    return isConnection(state) ? state : null;
  }

  /** `forbidden`: a tag is not in the scope. */
  async create(
    scope: AccessScope,
    cause: Cause,
    tags: readonly string[],
    payload: ConnectionCreated['payload'],
  ): Promise<Changed<'forbidden'>> {
    if (!permitsEach(scope, tags)) return err('forbidden');
    const name = { organization: scope.organization, id: payload.id };
    return this.#change(name, cause, (state) => decideCreation(state, payload), tags);
  }

  changeSetup(name: ConnectionName, cause: Cause, setup: JsonObject): Promise<Changed> {
    return this.#change(name, cause, (state) => decideSetup(state, setup));
  }

  /** @param tagsOf returns the tags of its documents from now on */
  async moveTags(
    name: ConnectionName,
    cause: Cause,
    tagsOf: (tags: readonly string[]) => readonly string[],
  ): Promise<void> {
    await this.#execute<'connection_gone'>(name, (state, now) => {
      if (!isConnection(state)) return err('connection_gone');
      const tags = tagsOf(state.tags);
      if (tags.join('\0') === state.tags.join('\0')) return ok([]);
      const { organization } = name;
      return ok(
        record(CONNECTION_EVENTS, [{ type: 'ConnectionChanged', payload: {} }], { organization, cause, tags, now }),
      );
    });
  }

  request(name: ConnectionName, cause: Cause, trigger: SyncTrigger): Promise<Changed> {
    return this.#change(name, cause, (state) => decideRequest(state, trigger));
  }

  confirm(name: ConnectionName, cause: Cause): Promise<Changed<'nothing_to_confirm'>> {
    return this.#change(name, cause, decideConfirmation);
  }

  delete(name: ConnectionName, cause: Cause, deleteDocuments: boolean): Promise<Changed> {
    return this.#change(name, cause, (state) => decideDeletion(state, deleteDocuments));
  }

  start(name: ConnectionName, run: string, trigger: SyncTrigger): Promise<Changed<'sync_over'>> {
    return this.#change(name, causeOf(run), (state) => decideStart(state, run, trigger));
  }

  progress(
    name: ConnectionName,
    run: string,
    counts: SyncCounts,
    segment: number | null = null,
  ): Promise<Changed<'sync_over'>> {
    return this.#change(name, causeOf(run), (state) => decideProgress(state, run, counts, segment));
  }

  end(name: ConnectionName, running: RunningSync, end: SyncEnd): Promise<Changed<'sync_over'>> {
    return this.#change(name, causeOf(running.id), (state) => decideEnd(state, running, end));
  }

  /**
   * Records what has become of items.
   * @param tags of their connection
   * @param segment number of the stream, from 1
   * @returns the position of the last event, and whether the stream is full, so that the next events need another segment
   */
  async recordItems(
    { organization, id, tags }: ConnectionName & { readonly tags: readonly string[] },
    run: string,
    segment: number,
    events: readonly ItemsSynced[],
  ): Promise<{ readonly position: Position | null; readonly isFull: boolean }> {
    const cause = causeOf(run);
    const recorded = await this.#handler.execute<null, never>({
      ...{ stream: itemsStream(organization, id, segment), model: ITEMS },
      decide: (_state, _revision, now) => ok(record(ITEM_EVENTS, events, { organization, cause, tags, now })),
    });
    if (!recorded.ok) return { position: null, isFull: false };
    const { position, revision } = recorded.value;
    return { position, isFull: revision !== 'no-stream' && revision + 1 >= SEGMENT_EVENTS };
  }

  /** Records that nothing is left of a connection, and erases its stream. */
  async erase(name: ConnectionName): Promise<void> {
    const cause = systemCause();
    await this.#handler.execute<ConnectionState, 'connection_gone'>({
      ...{ stream: connectionStream(name.organization, name.id), model: CONNECTION },
      decide: (state, _revision, now) => {
        const events = decideErasure(state);
        if (!events.ok || !isConnection(state)) return events.ok ? ok([]) : events;
        const { tags } = state;
        return ok({
          events: record(CONNECTION_EVENTS, events.value, { organization: name.organization, cause, tags, now }),
          erase: true,
        });
      },
    });
  }

  async #change<Refusal extends string>(
    name: ConnectionName,
    cause: Cause,
    decide: (state: ConnectionState) => Result<readonly ConnectionEvent[], Refusal>,
    newTags: readonly string[] = [],
  ): Promise<Result<Connection, Refusal | 'connection_gone'>> {
    const changed = await this.#execute<Refusal>(name, (state, now) => {
      const events = decide(state);
      if (!events.ok) return events;
      const tags = isConnection(state) ? state.tags : newTags;
      return ok(record(CONNECTION_EVENTS, events.value, { organization: name.organization, cause, tags, now }));
    });
    if (!changed.ok) return changed;
    const { state } = changed.value;
    return isConnection(state) ? ok(state) : err('connection_gone');
  }

  #execute<Refusal>(
    { organization, id }: ConnectionName,
    decide: (state: ConnectionState, now: number) => Result<ReturnType<typeof record>, Refusal>,
  ) {
    return this.#handler.execute<ConnectionState, Refusal>({
      ...{ stream: connectionStream(organization, id), model: CONNECTION },
      decide: (state, _revision, now) => decide(state, now),
    });
  }
}

const causeOf = (run: string): Cause => ({ actor: SYSTEM, correlationId: run, causationId: null });
