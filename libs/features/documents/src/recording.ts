import { type NewEvent, type Recording, record } from '#ports/event-store';
import { DOCUMENT_EVENTS } from './catalogue.ts';
import type { DocumentEvent } from './events.ts';

/** Adds envelopes to events of a document or, with `isMemory`, of a memory, which are published under a category of its own. */
export const recordEvents = (
  events: readonly DocumentEvent[],
  { isMemory, ...recording }: Recording & { readonly isMemory: boolean },
): NewEvent[] =>
  record(
    DOCUMENT_EVENTS,
    isMemory ? events.map((event) => ({ ...event, category: 'memory' as const })) : events,
    recording,
  );
