import type { Decided } from '#domain';
import type { NewEvent } from '#event-store';
import { isoTime, type JsonObject, newId, type OrganizationId } from '#kernel';
import { schemaVersionOf } from './schema-versions.ts';

/** Who causes events, and what they belong to. */
export interface Cause {
  readonly organization: OrganizationId;
  /** `key:<id>` or `system`. */
  readonly actor: string;
  readonly correlationId: string;
  readonly causationId: string | null;
}

export const SYSTEM = 'system';

/**
 * Gives decisions the envelope that makes events of them.
 * @param tags the document's tags from these events on; empty where a stream has none
 * @param now milliseconds since the epoch
 */
export function record(decided: readonly Decided[], cause: Cause, tags: readonly string[], now: number): NewEvent[] {
  const at = isoTime(now);
  return decided.map(({ payload, ...facts }) => ({
    envelope: { id: newId(), schemaVersion: schemaVersionOf(facts.type), at, tags, ...cause, ...facts },
    payload: payload as JsonObject | null,
  }));
}
