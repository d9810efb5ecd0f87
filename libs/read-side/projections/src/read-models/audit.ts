import { AUDIT, AUDITED_EVENTS, auditEntryOf } from '#features/audit';
import type { ReadModel } from '../read-model.ts';
import { eventModel } from '../row-models.ts';

/** Who has done what. Follows from envelopes alone, so that it is the same after an erasure. */
export const AUDIT_ENTRIES: ReadModel = eventModel({
  name: AUDIT,
  version: 5,
  columns: {
    ...{ event_id: 'text', at: 'number', actor: 'text', action: 'text', target_id: 'text', document_count: 'number' },
  },
  indexes: [['at'], ['actor', 'at'], ['action', 'at']],
  types: AUDITED_EVENTS,
  rowsOf: ({ stream, envelope }) => {
    const entry = auditEntryOf(stream, envelope);
    if (entry === null) return [];
    const { id, at, actor, sizes } = envelope;
    const { action, targetId } = entry;
    return [
      {
        event_id: id,
        at: Date.parse(at),
        actor,
        action,
        target_id: targetId,
        document_count: sizes?.documents ?? null,
      },
    ];
  },
});
