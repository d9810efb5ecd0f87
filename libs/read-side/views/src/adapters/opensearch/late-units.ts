import type { Position } from '#ports/event-store';
import type { Aliases } from './aliases.ts';
import type { Body } from './connection.ts';

/**
 * Record in the meta index, written while units of documents are missing, behind which the checkpoint stays: first the
 * position up to which everything else is there, then the keys of these documents.
 */
export const LATE_UNITS = 'late-units';

export interface LateUnitsRecord {
  readonly position: Position;
  readonly keys: readonly string[];
}

/** @param recorded null: no units have been late yet */
export function lateUnitsFrom(recorded: readonly string[] | null): LateUnitsRecord | null {
  const [position, ...keys] = recorded ?? [];
  return position === undefined ? null : { position: position as Position, keys };
}

/**
 * Condition: not of a document of which units are missing. The rows that there are already must neither be found nor count.
 * OpenSearch looks up the record itself.
 */
export const isNotLate = (aliases: Aliases): Body => ({
  bool: { must_not: [{ terms: { document: { index: aliases.of('meta'), id: LATE_UNITS, path: 'position' } } }] },
});
