import type { Position } from '#ports/event-store';
import type { Aliases } from '../aliases.ts';
import type { Connection } from '../connection.ts';
import { getRows } from '../get-rows.ts';
import { LATE_UNITS, lateUnitsFrom } from '../late-units.ts';
import { documentKey } from '../terms.ts';
import { CHECKPOINT } from '../write/lease.ts';

/** How far views are. */
export interface ViewsState {
  readonly checkpoint: Position | null;
  /** Null: no units are missing behind the checkpoint. It may be before the checkpoint; then nothing is missing. */
  readonly beyond: {
    /** Up to here only units are missing. */
    readonly position: Position;
    /** Whether units of a document, or of any, are missing. */
    lacks(document: { readonly organization: string; readonly id: string } | 'any'): boolean;
  } | null;
}

export async function readProgress(connection: Connection, aliases: Aliases): Promise<ViewsState> {
  const docs = [CHECKPOINT, LATE_UNITS].map((_id) => ({ _id, _source: ['position'] }));
  type Source = { readonly position: Position | readonly string[] | null };
  const found = await getRows<Source>(connection, aliases.of('meta'), docs);
  const recorded = (id: string) => found.find(({ _id }) => _id === id)?._source?.position ?? null;
  const late = lateUnitsFrom(recorded(LATE_UNITS) as readonly string[] | null);
  const keys = new Set(late?.keys);
  return {
    checkpoint: recorded(CHECKPOINT) as Position | null,
    beyond: late && {
      position: late.position,
      lacks: (one) => (one === 'any' ? keys.size > 0 : keys.has(documentKey(one.organization, one.id))),
    },
  };
}
