import {
  type AnyEvent,
  type EventCatalogue,
  isoTime,
  type JsonObject,
  newId,
  type OrganizationId,
} from '#platform/kernel';
import type { NewEvent } from './port.ts';

/** Who causes events, and the request or job that they belong to. */
export interface Cause {
  /** `key:<id>`, `member:<id>` of a member who is signed in, `connection:<id>`, or `system`. */
  readonly actor: string;
  readonly correlationId: string;
  readonly causationId: string | null;
}

export const SYSTEM = 'system';

/** Returns the cause of a request, which no earlier event has caused. */
export const requestCause = (actor: string): Cause => ({ actor, correlationId: newId(), causationId: null });

/** Returns a cause for work that no caller requested. */
export const systemCause = (): Cause => requestCause(SYSTEM);

export interface Recording {
  /** Empty: the events concern all organizations. */
  readonly organization: string;
  readonly cause: Cause;
  /** The document's tags after these events; empty for a stream without tags. */
  readonly tags: readonly string[];
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Adds envelopes to the events of a decision. */
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
