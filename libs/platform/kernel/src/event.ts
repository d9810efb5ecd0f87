import type { JsonObject } from './json.ts';

/** Facts of an event that its envelope keeps for ever, also after an erasure. */
export interface EventFacts {
  readonly contentVersion?: number;
  readonly stage?: string;
  readonly attempt?: number;
  /** Machine code of a failure. */
  readonly code?: string;
  readonly sizes?: Readonly<Record<string, number>>;
  /** Under which the event is published. Absent: the category of its stream. */
  readonly category?: 'memory';
}

/** An event as a decision returns it; recording adds id, time, actor and tags. */
export interface EventOf<Type extends string, Payload extends object | null> extends EventFacts {
  readonly type: Type;
  readonly payload: Payload;
}

export type AnyEvent = EventOf<string, object | null>;

/** What the envelope of a stored event says beside the facts. */
export interface EventContext {
  /** ISO 8601. */
  readonly at: string;
  readonly organization: string;
  readonly tags: readonly string[];
  readonly correlationId: string;
}

/** An event as the log holds it. `payload` is null where the type has none, or where the stream was erased. */
export interface StoredEvent {
  readonly envelope: EventContext & EventFacts & { readonly type: string };
  readonly payload: JsonObject | null;
}

/** A stored event as `evolve` sees it. */
export type Recorded<E extends AnyEvent> = E & EventContext;

/** Replaces an event whose payload was erased with its stream. */
export interface ErasedEvent extends EventContext {
  readonly type: 'erased';
}

/**
 * The event types of one stream category: the schema version that each is written with, whether it has a payload, and the
 * facts that other parts of the program select types by.
 */
export type EventCatalogue<E extends AnyEvent, Facts extends object = object> = {
  readonly [Type in E['type']]: Facts & {
    readonly version: number;
    readonly payload: Extract<E, { readonly type: Type }>['payload'] extends null ? false : true;
  };
};

/** Returns the types of a catalogue that a fact is true of. */
export function typesWith<Facts extends object>(
  catalogue: Readonly<Record<string, Facts>>,
  fact: (facts: Facts) => boolean,
): ReadonlySet<string> {
  return new Set(Object.entries(catalogue).flatMap(([type, facts]) => (fact(facts) ? [type] : [])));
}

/** @returns null if the catalogue does not have the type */
export function readEvent<E extends AnyEvent>(
  catalogue: EventCatalogue<E>,
  stored: StoredEvent,
): Recorded<E> | ErasedEvent | null {
  const { type, at, organization, tags, correlationId, contentVersion, stage, attempt, code, sizes } = stored.envelope;
  const entry = Object.hasOwn(catalogue, type) ? catalogue[type as E['type']] : undefined;
  if (entry === undefined) return null;
  // Reading the payload of a sealed event throws if its key is lost, so it is read only if the type has one.
  const payload = entry.payload ? stored.payload : null;
  if (entry.payload && payload === null) return { type: 'erased', at, organization, tags, correlationId };
  const facts = { contentVersion, stage, attempt, code, sizes };
  return { type, at, organization, tags, correlationId, ...facts, payload } as unknown as Recorded<E>;
}

/** The reducer of stored events that belongs to a typed `evolve`. Events of types outside the catalogue are skipped. */
export function foldWith<State, E extends AnyEvent>(
  catalogue: EventCatalogue<E>,
  evolve: (state: State, event: Recorded<E> | ErasedEvent) => State,
): (state: State, stored: StoredEvent) => State {
  return (state, stored) => {
    const event = readEvent(catalogue, stored);
    return event === null ? state : evolve(state, event);
  };
}
