import { type AnyEvent, type EventCatalogue, isoTime, type JsonObject, newId, type OrganizationId } from '#kernel';
import type { NewEvent } from './port.ts';

/** Who causes events, and which request or piece of work they belong to. */
export interface Cause {
  /** `key:<id>` or `system`. */
  readonly actor: string;
  readonly correlationId: string;
  readonly causationId: string | null;
}

export const SYSTEM = 'system';

/** A cause that belongs to no request. */
export const systemCause = (): Cause => ({ actor: SYSTEM, correlationId: newId(), causationId: null });

export interface Recording {
  /** Empty for events that concern all organizations. */
  readonly organization: string;
  readonly cause: Cause;
  /** The document's tags from these events on; empty for a stream without tags. */
  readonly tags: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Gives the events of a decision their envelopes. */
export function record<E extends AnyEvent>(
  catalogue: EventCatalogue<E>,
  events: readonly E[],
  { organization, cause, tags, now }: Recording,
): NewEvent[] {
  const at = isoTime(now);
  return events.map(({ payload, ...facts }) => {
    const schemaVersion = catalogue[facts.type as E['type']].version;
    return {
      envelope: {
        ...{ id: newId(), schemaVersion, at, organization: organization as OrganizationId, tags },
        ...cause,
        ...facts,
      },
      payload: payload as JsonObject | null,
    };
  });
}
