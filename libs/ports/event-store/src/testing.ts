import { newId, type OrganizationId } from '#platform/kernel';
import type { EventEnvelope, EventStore, NewEvent, RecordedEvent } from './port.ts';
import { readPages } from './read-pages.ts';

/** Returns an event with defaults for all fields that a test does not set. */
export function event(
  type: string,
  payload: NewEvent['payload'] = null,
  envelope: Partial<EventEnvelope> = {},
): NewEvent {
  return {
    envelope: {
      id: newId(),
      type,
      schemaVersion: 1,
      at: '2026-01-02T03:04:05.678Z',
      organization: 'organization-a' as OrganizationId,
      tags: ['tag'],
      actor: 'system',
      correlationId: 'correlation',
      causationId: null,
      ...envelope,
    },
    payload,
  };
}

export function numbered(count: number, from = 0): NewEvent[] {
  return Array.from({ length: count }, (_, i) => event('Numbered', { n: from + i }));
}

/** Reads the whole log, page by page. */
export async function readWholeLog(
  store: EventStore,
  options: { limit?: number; filter?: Parameters<EventStore['readAll']>[0]['filter'] } = {},
): Promise<RecordedEvent[]> {
  const { limit = 100, ...rest } = options;
  const events: RecordedEvent[] = [];
  for await (const page of readPages(store, { after: null, limit, ...rest })) events.push(...page.events);
  return events;
}
