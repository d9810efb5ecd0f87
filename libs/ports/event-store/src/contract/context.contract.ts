import type { EventStore, ExpectedRevision, NewEvent, RecordedEvent } from '../port.ts';

export interface OpenedStore {
  readonly store: EventStore;
  /** Another client of the same log. */
  readonly other: EventStore;
  close(): Promise<void>;
}

/** What the topics of the contract share. `store` and `other` are set while tests run. */
export interface ContractContext {
  readonly store: EventStore;
  readonly other: EventStore;
  /** Returns the name of a new stream. */
  stream(category?: string): string;
  /** Appends through `store`. @throws Error on a conflict */
  append(
    name: string,
    events: readonly NewEvent[],
    expected?: ExpectedRevision,
    options?: { erase?: boolean },
  ): Promise<Extract<Awaited<ReturnType<EventStore['append']>>, { ok: true }>>;
}

export const payloads = (events: readonly RecordedEvent[]) => events.map((each) => each.payload);
export const ids = (events: readonly { envelope: { id: string } }[]) => events.map((each) => each.envelope.id);
