import { err, foldWith, newId, ok, type StoredEvent } from '#platform/kernel';
import {
  type Cause,
  type CommandHandler,
  type Model,
  type NewEvent,
  type Position,
  type RecordedEvent,
  record,
  systemCause,
} from '#ports/event-store';
import { deletionStream, OPEN_DELETIONS_STREAM } from '../streams.ts';
import { BULK_DELETION_EVENTS, type BulkDeletionEvent, OPEN_DELETIONS_EVENTS, type SelectedBy } from './events.ts';
import {
  type BulkDeletionState,
  evolveDeletion,
  evolveOpen,
  initialDeletion,
  noneOpen,
  type OpenDeletion,
  type OpenDeletions,
} from './evolve.ts';

export const foldDeletion: (state: BulkDeletionState, event: StoredEvent) => BulkDeletionState = foldWith(
  BULK_DELETION_EVENTS,
  evolveDeletion,
);
export const foldOpen: (state: OpenDeletions, event: StoredEvent) => OpenDeletions = foldWith(
  OPEN_DELETIONS_EVENTS,
  evolveOpen,
);

const DELETION: Model<BulkDeletionState> = {
  name: 'bulk-deletion',
  version: 1,
  initialState: initialDeletion,
  evolve: foldDeletion,
};
const OPEN: Model<OpenDeletions> = { name: 'open-deletions', version: 1, initialState: noneOpen, evolve: foldOpen };

/** A payload has at most 64 KiB; an id takes 25 bytes of it. */
const IDS_PER_EVENT = 2_000;

/** A request for a bulk deletion as it is recorded. */
export interface DeletionRequest {
  readonly by: SelectedBy;
  readonly fingerprint: string;
  readonly tags: readonly string[];
  readonly filepath: string | null;
  readonly resolved: readonly string[];
}

/** A bulk deletion and its events. */
export interface LoggedDeletion extends OpenDeletion {
  readonly state: BulkDeletionState;
  readonly revision: number | 'no-stream';
  readonly requests: readonly RecordedEvent[];
}

/** The streams of bulk deletions. */
export class DeletionLog {
  readonly #handler: CommandHandler;

  constructor(handler: CommandHandler) {
    this.#handler = handler;
  }

  async open(): Promise<readonly OpenDeletion[]> {
    return (await this.#handler.load(OPEN_DELETIONS_STREAM, OPEN)).state.open;
  }

  async read({ organization, id }: OpenDeletion): Promise<LoggedDeletion> {
    const { events, revision } = await this.#handler.read(deletionStream(organization, id));
    const requests = events.filter(({ envelope }) => envelope.type === 'BulkDeletionRequested');
    return { organization, id, state: events.reduce(foldDeletion, initialDeletion), revision, requests };
  }

  /**
   * Opens a bulk deletion, unless others than the known ones are open.
   * @returns null: read the open ones again
   */
  async begin(
    organization: string,
    known: readonly OpenDeletion[],
    request: DeletionRequest,
    cause: Cause,
  ): Promise<{ readonly id: string; readonly position: Position } | null> {
    const id = newId();
    const context = { organization, cause, tags: [] };
    const opened = await this.#handler.execute({
      stream: OPEN_DELETIONS_STREAM,
      model: OPEN,
      decide: ({ open }, _revision, now) => {
        if (open.some((one) => known.every((other) => other.id !== one.id))) return err('others' as const);
        const event = { type: 'BulkDeletionOpened', payload: { deletionId: id } } as const;
        return ok(record(OPEN_DELETIONS_EVENTS, [event], { ...context, now }));
      },
    });
    if (!opened.ok) return null;
    const requested = await this.#handler.execute({
      stream: deletionStream(organization, id),
      model: DELETION,
      isNew: true,
      decide: ({ status }, _revision, now) =>
        status === 'absent' ? ok(this.#requested(organization, request, cause, now)) : err('abandoned' as const),
    });
    return requested.ok && requested.value.position !== null ? { id, position: requested.value.position } : null;
  }

  /** Records a repetition of the request. Returns null if the bulk deletion has progressed since it was read. */
  join(
    { organization, id, revision }: LoggedDeletion,
    request: DeletionRequest,
    cause: Cause,
  ): Promise<Position | null> {
    const events = (now: number) => this.#requested(organization, request, cause, now);
    return this.#handler.record(deletionStream(organization, id), events, { expected: Number(revision) });
  }

  /**
   * Erases the request.
   * @param sizes as in `BulkDeletionFinished`
   * @returns false: the request was repeated in the meantime
   */
  async finish(
    deletion: LoggedDeletion,
    { documents, unerased }: { readonly documents: number; readonly unerased: number },
    cause: Cause,
  ): Promise<boolean> {
    const { organization, id, revision } = deletion;
    const sizes = { documents, ...(unerased > 0 && { unerased }) };
    const finished: BulkDeletionEvent = { type: 'BulkDeletionFinished', payload: null, sizes };
    const eventsAt = (now: number) => record(BULK_DELETION_EVENTS, [finished], { organization, cause, tags: [], now });
    const stream = deletionStream(organization, id);
    return (await this.#handler.record(stream, eventsAt, { expected: Number(revision), erase: true })) !== null;
  }

  /** Ends a bulk deletion whose request was never recorded. The process that opened it may have ended. */
  async abandon({ organization, id }: OpenDeletion): Promise<void> {
    const finished: BulkDeletionEvent = { type: 'BulkDeletionFinished', payload: null };
    await this.#handler.execute({
      stream: deletionStream(organization, id),
      model: DELETION,
      isNew: true,
      decide: ({ status }, _revision, now) => {
        const context = { organization, cause: systemCause(), tags: [], now };
        return status === 'absent' ? ok(record(BULK_DELETION_EVENTS, [finished], context)) : ok([]);
      },
    });
  }

  async close({ organization, id }: OpenDeletion): Promise<void> {
    const event = { type: 'BulkDeletionClosed', payload: { deletionId: id } } as const;
    await this.#handler.execute({
      stream: OPEN_DELETIONS_STREAM,
      model: OPEN,
      decide: ({ open }, _revision, now) =>
        open.every((one) => one.id !== id)
          ? ok([])
          : ok(record(OPEN_DELETIONS_EVENTS, [event], { organization, cause: systemCause(), tags: [], now })),
    });
  }

  #requested(organization: string, request: DeletionRequest, cause: Cause, now: number): NewEvent[] {
    const { tags, resolved, ...payload } = request;
    const lists = Array.from({ length: Math.ceil(resolved.length / IDS_PER_EVENT) }, (_, i) =>
      resolved.slice(i * IDS_PER_EVENT, (i + 1) * IDS_PER_EVENT),
    );
    const events: BulkDeletionEvent[] = [
      { type: 'BulkDeletionRequested', payload },
      ...lists.map((list) => ({ type: 'DocumentsSelected', payload: { resolved: list } }) as const),
    ];
    return record(BULK_DELETION_EVENTS, events, { organization, cause, tags, now });
  }
}
