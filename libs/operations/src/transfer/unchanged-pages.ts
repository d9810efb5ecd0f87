import type { RecordedEvent } from '#event-store';

/** What is formed of a version of the content, in order. */
const RESULTS: readonly string[] = ['ContentExtracted', 'ContentChunked', 'MemoriesFormed', 'SummaryFormed'];

/**
 * Replaces each `PageUnchanged` with the results of the version before, as results of its own version. Such an event says that
 * searches already find what was formed before, which is not so where it is imported; without it, the page would be fetched
 * again.
 */
export function withResultsOfUnchangedPages(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const last = new Map<string, RecordedEvent>();
  return events.flatMap((event) => {
    if (RESULTS.includes(event.envelope.type)) last.set(event.envelope.type, event);
    if (event.envelope.type !== 'PageUnchanged') return [event];
    return RESULTS.flatMap((type) => {
      const result = last.get(type);
      return result === undefined ? [] : [asResultOf(event, result)];
    });
  });
}

/** @param result of the version before */
function asResultOf(unchanged: RecordedEvent, result: RecordedEvent): RecordedEvent {
  const { tags, correlationId, contentVersion, at } = unchanged.envelope;
  const { fetched = null } = unchanged.payload ?? {};
  const isText = result.envelope.type === 'ContentExtracted';
  return {
    ...unchanged,
    envelope: { ...result.envelope, tags, correlationId, at, ...(contentVersion !== undefined && { contentVersion }) },
    payload: isText ? { ...result.payload, fetched } : result.payload,
  };
}
